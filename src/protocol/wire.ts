/** JSON-RPC 2.0 as a client of ours writes and reads it. */
import { HoltError, isErrorCode } from "./errors.ts";

export function requestLine(id: number, method: string, params: object): string {
  return `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
}

export function notificationLine(method: string, params: object): string {
  return `${JSON.stringify({ jsonrpc: "2.0", method, params })}\n`;
}

export interface Answer {
  id: unknown;
  outcome: { result: unknown } | { error: HoltError };
}

/** Throws EIO for what is no answer. */
export function parseAnswer(line: string): Answer {
  let value: Record<string, unknown> | null = null;
  try {
    value = JSON.parse(line) as Record<string, unknown> | null;
  } catch {
    // said below
  }
  const { id, result, error } = value ?? {};
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
