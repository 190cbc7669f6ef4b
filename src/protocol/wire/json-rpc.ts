/** JSON-RPC 2.0 as a client of ours writes and reads it. */
import { bytesOf } from "../types/bytes.ts";
import { HoltError, isErrorCode } from "../types/errors.ts";

/** The daemon passes over a longer one, and does not learn whose it was. */
export const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;
/** Of one UTF-16 unit. */
const MOST_UTF8_BYTES = 3;

/** Throws EBADARGS for one that is too long to be taken. */
export function requestLine(id: number, method: string, params: object, correlation_id?: string): string {
  const line = `${JSON.stringify({ jsonrpc: "2.0", id, method, params, correlation_id })}\n`;
  if (line.length * MOST_UTF8_BYTES > MAX_MESSAGE_BYTES) requireShort(method, bytesOf(line).length);
  return line;
}

function requireShort(method: string, bytes: number): void {
  if (bytes > MAX_MESSAGE_BYTES)
    throw new HoltError("EBADARGS", tooLongText(`this call of ${method}`, bytes, MAX_MESSAGE_BYTES), {
      hint: TOO_LONG_HINT,
    });
}

export const TOO_LONG_HINT = "write what is long into a file and name that, or send it in pieces";

export function tooLongText(what: string, bytes: number, most: number): string {
  return `${what} is ${bytes} bytes long, and a message may be ${most}`;
}

/** To a message of which the daemon could not tell whose it was. With one call under way it is that one's; of several, any may have been carried out. */
export function unmatchedRefusal(error: HoltError, underWay: number): HoltError {
  if (underWay === 1) return error;
  return new HoltError("EIO", `the daemon refused one of ${underWay} calls under way: ${error.message}`, {
    hint: "the others may have been carried out, so look before you repeat them",
  });
}

export function notificationLine(method: string, params: object): string {
  return `${JSON.stringify({ jsonrpc: "2.0", method, params })}\n`;
}

/** What a daemon that cannot start says to whoever started it, in place of an answer. */
export function startFailureLine({ code, message, hint, details }: HoltError): string {
  const data = { code, hint, details };
  return `${JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: 0, message, data } })}\n`;
}

/** With EIO: it went before it had answered. */
export const DAEMON_LOST = "the daemon hung up";

export interface Answer {
  id: unknown;
  outcome: { result: unknown } | { error: HoltError };
}

/** What a daemon says without being asked again. */
export interface DaemonNotification {
  method: string;
  params: Record<string, unknown>;
}

/** Throws EIO for what is no answer. */
export function parseAnswer(line: string): Answer {
  const message = parseMessage(line);
  if ("outcome" in message) return message;
  throw new HoltError("EIO", `the daemon told of ${message.method}, which nobody subscribed to`);
}

/** Throws EIO for what is neither. */
export function parseMessage(line: string): Answer | DaemonNotification {
  let value: Record<string, unknown> | null = null;
  try {
    value = JSON.parse(line) as Record<string, unknown> | null;
  } catch {
    // said below
  }
  const { id, result, error, method, params } = value ?? {};
  if (typeof method === "string") return { method, params: (params ?? {}) as Record<string, unknown> };
  if (result !== undefined) return { id, outcome: { result } };
  if (typeof error === "object" && error !== null) return { id, outcome: { error: errorFrom(error) } };
  throw new HoltError("EIO", `the daemon answered ${JSON.stringify(line.slice(0, 80))}`, {
    hint: "`holt daemon restart` starts another; sessions do not notice",
  });
}

function errorFrom(error: object): HoltError {
  const { message, data } = error as { message?: unknown; data?: Record<string, unknown> };
  const { code, correlation_id, hint, details } = data ?? {};
  const known = typeof correlation_id === "string" ? { correlation_id } : {};
  return new HoltError(isErrorCode(code) ? code : "EINTERNAL", String(message), {
    ...(typeof hint === "string" ? { hint } : {}),
    details: { ...(typeof details === "object" ? details : {}), ...known },
  });
}
