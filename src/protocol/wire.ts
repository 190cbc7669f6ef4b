/** JSON-RPC 2.0 as a client of ours writes and reads it. */
import { HoltError, isErrorCode } from "./errors.ts";

export function requestLine(id: number, method: string, params: object): string {
  return `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
}

export function notificationLine(method: string, params: object): string {
  return `${JSON.stringify({ jsonrpc: "2.0", method, params })}\n`;
}

/** With EIO: it went before it had answered. */
export const DAEMON_LOST = "the daemon hung up";

export interface Answer {
  id: unknown;
  outcome: { result: unknown } | { error: HoltError };
}

/** What a daemon says without being asked again. */
export interface Notice {
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
export function parseMessage(line: string): Answer | Notice {
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
  const { code, hint, details } = data ?? {};
  return new HoltError(isErrorCode(code) ? code : "EINTERNAL", String(message), {
    ...(typeof hint === "string" ? { hint } : {}),
    ...(typeof details === "object" && details !== null ? { details: { ...details } } : {}),
  });
}
