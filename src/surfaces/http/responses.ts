/** How every answer looks: the seed's envelope, and headers that leave a browser nothing to guess. */
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

const LIST_HINT = "/api/v1/openapi.json lists what there is";
export const JSON_TYPE = "application/json; charset=utf-8";

export function safeHeaders(policy = STRICT_POLICY): Record<string, string> {
  return { ...SAFE_HEADERS, "content-security-policy": policy };
}

export function dataResponse(value: unknown, status = 200): Response {
  return jsonResponse({ apiVersion: API_VERSION, data: value }, status);
}

/** Statuses of HTTP's own, for which several codes stand. openapi.ts tells them too: a test holds both together. */
export const OWN_STATUSES = { method: 405, large: 413, type: 415, upgrade: 426 } as const;
type CodeStatus = (typeof ERROR_CODES)[keyof typeof ERROR_CODES]["http"];
export type ErrorStatus = CodeStatus | (typeof OWN_STATUSES)[keyof typeof OWN_STATUSES];

/** `status` where it is another than the code's own. */
export function errorResponse(
  error: HoltError,
  status: ErrorStatus = ERROR_CODES[error.code].http,
  more = {},
): Response {
  const { code, message, details, hint } = error;
  return jsonResponse({ apiVersion: API_VERSION, error: { code, message, details, hint } }, status, more);
}

export function internalError(): Response {
  return errorResponse(
    new HoltError("EINTERNAL", "internal error", { hint: "this is a fault in holt; its log tells more" }),
  );
}

export function invalidUrl(): Response {
  return errorResponse(new HoltError("EBADARGS", "that is no address", { hint: LIST_HINT }));
}

/** `nearestTo`: the place of a call that was most likely meant. */
export function pathNotFound({ url, method }: Request, nearestTo: (path: string) => string | null): Response {
  const path = new URL(url).pathname.slice(0, 200);
  const meant = method === "POST" ? nearestTo(path) : null;
  const hint = meant === null ? LIST_HINT : `did you mean POST ${meant}?`;
  return errorResponse(new HoltError("ENOTFOUND", `nothing is at ${path}`, { hint }));
}

/** Not yet, or not any more; a connection that was kept open is not for the next who listens here. */
export function httpIsOff(): Response {
  const error = new HoltError("EBUSY", "HTTP is not served here now", { hint: "`holt web` turns it on" });
  return errorResponse(error, 503, { "retry-after": "1", connection: "close" });
}

export function unauthorized(message = "there is no such key, or it has ended"): Response {
  const error = new HoltError("EUNAUTHORIZED", message, {
    hint: "send `Authorization: Bearer TOKEN`: the owner's token is in owner-token in the state directory; `holt web` opens the page",
  });
  return errorResponse(error, 401, { "www-authenticate": 'Bearer realm="holt"' });
}

export function tooManyRequests(retryAfterSeconds = 1): Response {
  const error = new HoltError("ERLIMIT", "too many requests", {
    hint: "wait, then ask again: Retry-After says how long",
  });
  return errorResponse(error, 429, { "retry-after": String(retryAfterSeconds) });
}

export function methodNotAllowed(method: string, allowed: readonly string[]): Response {
  const error = new HoltError("EBADARGS", `${method} is not for this`, { hint: `use ${allowed.join(" or ")}` });
  return errorResponse(error, OWN_STATUSES.method, { allow: allowed.join(", ") });
}

function jsonResponse(value: unknown, status: number, more: Record<string, string> = {}): Response {
  const headers = { ...safeHeaders(), "content-type": JSON_TYPE, ...more };
  return new Response(`${JSON.stringify(value)}\n`, { status, headers });
}
