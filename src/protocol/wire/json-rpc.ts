/** JSON-RPC 2.0 lines between a client and the daemon. */
import { bytesOf } from "../types/bytes.ts";
import { HoltError, isErrorCode } from "../types/errors.ts";

/** The daemon skips a longer line, and cannot tell which call it was. */
export const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;
/** UTF-8 bytes of one UTF-16 unit, at most. */
const MAX_UTF8_BYTES = 3;

/** Throws EBADARGS for a request that is too long. */
export function requestLine(id: number, method: string, params: object, correlation_id?: string): string {
  const line = `${JSON.stringify({ jsonrpc: "2.0", id, method, params, correlation_id })}\n`;
  if (line.length * MAX_UTF8_BYTES > MAX_MESSAGE_BYTES) requireShort(method, bytesOf(line).length);
  return line;
}

function requireShort(method: string, bytes: number): void {
  if (bytes > MAX_MESSAGE_BYTES)
    throw new HoltError("EBADARGS", tooLongText(`this call of ${method}`, bytes, MAX_MESSAGE_BYTES), {
      hint: TOO_LONG_HINT,
    });
}

export const TOO_LONG_HINT = "write the long value to a file and name that, or send it in parts";

export function tooLongText(what: string, bytes: number, most: number): string {
  return `${what} is too long: ${bytes} bytes, at most ${most}`;
}

/**
 * Error for a refusal without an id: with one pending call it belongs to that call; otherwise any
 * of them may have been carried out.
 */
export function unmatchedRefusal(error: HoltError, underWay: number): HoltError {
  if (underWay === 1) return error;
  return new HoltError("EIO", `the daemon refused one of ${underWay} calls under way: ${error.message}`, {
    hint: "check the state before you repeat the others: they may have been carried out",
  });
}

export function notificationLine(method: string, params: object): string {
  return `${JSON.stringify({ jsonrpc: "2.0", method, params })}\n`;
}

/** Line that a daemon which cannot start sends to its starter. */
export function startFailureLine({ code, message, hint, details }: HoltError): string {
  const data = { code, hint, details };
  return `${JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: 0, message, data } })}\n`;
}

/** Message of EIO when the connection closed before the answer. */
export const DAEMON_LOST = "the daemon hung up";

export interface Answer {
  id: unknown;
  outcome: { result: unknown } | { error: HoltError };
}

/** A notification from the daemon. */
export interface DaemonNotification {
  method: string;
  params: Record<string, unknown>;
}

/** Throws EIO for a line that is not an answer. */
export function parseAnswer(line: string): Answer {
  const message = parseMessage(line);
  if ("outcome" in message) return message;
  throw new HoltError("EIO", `unexpected notification from the daemon: ${message.method}`);
}

/** Throws EIO for a line that is neither an answer nor a notification. */
export function parseMessage(line: string): Answer | DaemonNotification {
  let value: Record<string, unknown> | null = null;
  try {
    value = JSON.parse(line) as Record<string, unknown> | null;
  } catch {
    // handled below
  }
  const { id, result, error, method, params } = value ?? {};
  if (typeof method === "string") return { method, params: (params ?? {}) as Record<string, unknown> };
  if (result !== undefined) return { id, outcome: { result } };
  if (typeof error === "object" && error !== null) return { id, outcome: { error: errorFrom(error) } };
  throw new HoltError("EIO", `invalid answer from the daemon: ${JSON.stringify(line.slice(0, 80))}`, {
    hint: "`holt daemon restart` starts a new daemon; sessions keep running",
  });
}

function errorFrom(error: object): HoltError {
  const { message, data } = error as { message?: unknown; data?: Record<string, unknown> };
  const { code, correlation_id, hint, details } = data ?? {};
  const correlation = typeof correlation_id === "string" ? { correlation_id } : {};
  return new HoltError(isErrorCode(code) ? code : "EINTERNAL", String(message), {
    ...(typeof hint === "string" ? { hint } : {}),
    details: { ...(typeof details === "object" ? details : {}), ...correlation },
  });
}
