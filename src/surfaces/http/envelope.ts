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
const NOTHING_INSIDE = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

const LIST = "/api/v1/openapi.json lists what there is";
export const JSON_TYPE = "application/json; charset=utf-8";

export function safeHeaders(policy = NOTHING_INSIDE): Record<string, string> {
  return { ...SAFE_HEADERS, "content-security-policy": policy };
}

export function data(value: unknown, status = 200): Response {
  return json({ apiVersion: API_VERSION, data: value }, status);
}

/** Statuses of HTTP's own, for which several codes stand. openapi.ts tells them too: a test holds both together. */
export const OWN_STATUSES = { method: 405, large: 413, type: 415, upgrade: 426 } as const;
type CodeStatus = (typeof ERROR_CODES)[keyof typeof ERROR_CODES]["http"];
export type ErrorStatus = CodeStatus | (typeof OWN_STATUSES)[keyof typeof OWN_STATUSES];

/** `status` where it is another than the code's own. */
export function failed(error: HoltError, status: ErrorStatus = ERROR_CODES[error.code].http, more = {}): Response {
  const { code, message, details, hint } = error;
  return json({ apiVersion: API_VERSION, error: { code, message, details, hint } }, status, more);
}

export function brokenDown(): Response {
  return failed(new HoltError("EINTERNAL", "internal error", { hint: "this is a fault in holt; its log tells more" }));
}

export function noAddress(): Response {
  return failed(new HoltError("EBADARGS", "that is no address", { hint: LIST }));
}

/** `nearestTo`: the place of a call that was most likely meant. */
export function nothingAt({ url, method }: Request, nearestTo: (path: string) => string | null): Response {
  const path = new URL(url).pathname.slice(0, 200);
  const meant = method === "POST" ? nearestTo(path) : null;
  const hint = meant === null ? LIST : `did you mean POST ${meant}?`;
  return failed(new HoltError("ENOTFOUND", `nothing is at ${path}`, { hint }));
}

/** Not yet, or not any more; a connection that was kept open is not for the next who listens here. */
export function notServed(): Response {
  const error = new HoltError("EBUSY", "HTTP is not served here now", { hint: "`holt web` turns it on" });
  return failed(error, 503, { "retry-after": "1", connection: "close" });
}

export function unauthorized(message = "there is no such key, or it has ended"): Response {
  const error = new HoltError("EUNAUTHORIZED", message, {
    hint: "send `Authorization: Bearer TOKEN`: the owner's token is in owner-token in the state directory; `holt web` opens the page",
  });
  return failed(error, 401, { "www-authenticate": 'Bearer realm="holt"' });
}

export function tooOften(retryAfterSeconds = 1): Response {
  const error = new HoltError("ERLIMIT", "too many requests", {
    hint: "wait, then ask again: Retry-After says how long",
  });
  return failed(error, 429, { "retry-after": String(retryAfterSeconds) });
}

export function wrongMethod(method: string, allowed: readonly string[]): Response {
  const error = new HoltError("EBADARGS", `${method} is not for this`, { hint: `use ${allowed.join(" or ")}` });
  return failed(error, OWN_STATUSES.method, { allow: allowed.join(", ") });
}

function json(value: unknown, status: number, more: Record<string, string> = {}): Response {
  const headers = { ...safeHeaders(), "content-type": JSON_TYPE, ...more };
  return new Response(`${JSON.stringify(value)}\n`, { status, headers });
}
