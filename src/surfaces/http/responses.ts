/** JSON responses: the envelope of data and errors, and security headers on every response. */
import { ERROR_CODES, HoltError } from "../../protocol/types/errors.ts";
import { API_VERSION } from "../../protocol/wire/web.ts";

const SAFE_HEADERS = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
};
const STRICT_POLICY = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

const LIST_HINT = "/api/v1/openapi.json lists all paths";
export const JSON_TYPE = "application/json; charset=utf-8";

export function safeHeaders(policy = STRICT_POLICY): Record<string, string> {
  return { ...SAFE_HEADERS, "content-security-policy": policy };
}

export function dataResponse(value: unknown, status = 200): Response {
  return jsonResponse({ apiVersion: API_VERSION, data: value }, status);
}

/**
 * HTTP statuses that stand for several error codes. openapi.ts documents them; a test compares
 * both.
 */
export const OWN_STATUSES = { method: 405, large: 413, type: 415, upgrade: 426 } as const;
type CodeStatus = (typeof ERROR_CODES)[keyof typeof ERROR_CODES]["http"];
export type ErrorStatus = CodeStatus | (typeof OWN_STATUSES)[keyof typeof OWN_STATUSES];

/** `status` overrides the error code's own status. */
export function errorResponse(
  error: HoltError,
  status: ErrorStatus = ERROR_CODES[error.code].http,
  more = {},
): Response {
  const { code, message, details, hint } = error;
  return jsonResponse({ apiVersion: API_VERSION, error: { code, message, details, hint } }, status, more);
}

export function internalError(): Response {
  return errorResponse(new HoltError("EINTERNAL", "internal error", { hint: "this is a bug in holt; see the log" }));
}

export function invalidUrl(): Response {
  return errorResponse(new HoltError("EBADARGS", "invalid URL", { hint: LIST_HINT }));
}

/** `nearestTo` returns the most similar path of a method. */
export function pathNotFound({ url, method }: Request, nearestTo: (path: string) => string | null): Response {
  const path = new URL(url).pathname.slice(0, 200);
  const meant = method === "POST" ? nearestTo(path) : null;
  const hint = meant === null ? LIST_HINT : `did you mean POST ${meant}?`;
  return errorResponse(new HoltError("ENOTFOUND", `path not found: ${path}`, { hint }));
}

/**
 * Sent before HTTP starts and after it stops. `connection: close`, because a kept-alive connection
 * would outlive this listener.
 */
export function httpIsOff(): Response {
  const error = new HoltError("EBUSY", "HTTP is off", { hint: "`holt web` starts it" });
  return errorResponse(error, 503, { "retry-after": "1", connection: "close" });
}

export function unauthorized(message = "no such key, or it has expired"): Response {
  const error = new HoltError("EUNAUTHORIZED", message, {
    hint: "send `Authorization: Bearer TOKEN`: the owner's token is in owner-token in the state directory; `holt web` opens the page",
  });
  return errorResponse(error, 401, { "www-authenticate": 'Bearer realm="holt"' });
}

export function tooManyRequests(retryAfterSeconds = 1): Response {
  const error = new HoltError("ERLIMIT", "too many requests", {
    hint: "wait for the seconds in Retry-After, then try again",
  });
  return errorResponse(error, 429, { "retry-after": String(retryAfterSeconds) });
}

export function methodNotAllowed(method: string, allowed: readonly string[]): Response {
  const error = new HoltError("EBADARGS", `method not allowed: ${method}`, { hint: `use ${allowed.join(" or ")}` });
  return errorResponse(error, OWN_STATUSES.method, { allow: allowed.join(", ") });
}

function jsonResponse(value: unknown, status: number, more: Record<string, string> = {}): Response {
  const headers = { ...safeHeaders(), "content-type": JSON_TYPE, ...more };
  return new Response(`${JSON.stringify(value)}\n`, { status, headers });
}
