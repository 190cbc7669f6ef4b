/**
 * The one error type. Each code is one row here; surfaces derive its HTTP status and JSON-RPC
 * number from this table.
 */
export const ERROR_CODES = {
  ETIMEOUT: { http: 504, jsonrpc: -32001 },
  ECANCELED: { http: 499, jsonrpc: -32800 },
  ERLIMIT: { http: 429, jsonrpc: -32003 },
  EDENIED: { http: 403, jsonrpc: -32004 },
  EBADARGS: { http: 400, jsonrpc: -32602 },
  EIO: { http: 500, jsonrpc: -32005 },
  ENOTFOUND: { http: 404, jsonrpc: -32006 },
  ESESSIONCLOSED: { http: 409, jsonrpc: -32007 },
  EEXISTS: { http: 409, jsonrpc: -32008 },
  EBUSY: { http: 503, jsonrpc: -32009 },
  EUNAUTHORIZED: { http: 401, jsonrpc: -32010 },
  EINTERNAL: { http: 500, jsonrpc: -32603 },
} as const;

/** Refusals of JSON-RPC itself, before a method is found. */
export const JSONRPC_ERRORS = { parse: -32700, request: -32600, method: -32601 } as const;

export type ErrorCode = keyof typeof ERROR_CODES;

export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === "string" && Object.hasOwn(ERROR_CODES, value);
}

export interface ErrorDetail {
  /** The next step for the user, in one line. */
  hint?: string;
  details?: Record<string, unknown>;
  cause?: unknown;
}

export class HoltError extends Error {
  override readonly name = "HoltError";
  readonly code: ErrorCode;
  readonly hint: string | null;
  readonly details: Record<string, unknown>;

  constructor(code: ErrorCode, message: string, { hint, details, cause }: ErrorDetail = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.hint = hint ?? null;
    this.details = details ?? {};
  }

  /** A copy with more details about where the error happened. */
  withDetails(details: Record<string, unknown>): HoltError {
    const { code, message, hint, cause } = this;
    return new HoltError(code, message, {
      details: { ...this.details, ...details },
      cause: cause ?? this,
      ...(hint === null ? {} : { hint }),
    });
  }
}

/** Every surface words an unknown session the same way. */
export function sessionNotFound(id: string, hint?: string): HoltError {
  return new HoltError("ENOTFOUND", `session not found: ${id}`, { details: { session_id: id }, ...(hint && { hint }) });
}

/** The errno name of a failed system call ("ENOSPC"), or null for any other value. */
export function errnoOf(error: unknown): string | null {
  if (typeof error !== "object" || error === null || !("code" in error)) return null;
  return typeof error.code === "string" && /^E[A-Z0-9]+$/.test(error.code) ? error.code : null;
}
