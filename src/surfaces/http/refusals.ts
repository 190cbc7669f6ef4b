/** Logs refused requests and limits how often an address may send invalid keys. */
import { HoltError } from "../../protocol/types/errors.ts";
import { invalidKey } from "../websocket/peer.ts";
import { tooManyRequests, unauthorized } from "./responses.ts";
import type { HttpBackend } from "./backend.ts";
import { RateLimiter } from "./rate-limiter.ts";
import type { IncomingRequest } from "./upgrades.ts";

/** Invalid keys that one address may send in a second. */
const MAX_INVALID_KEYS = 5;
const NOWHERE = "http://nowhere.invalid";

export class Refusals {
  readonly #backend: HttpBackend;
  readonly #invalidKeys = new RateLimiter(() => MAX_INVALID_KEYS);

  constructor(backend: HttpBackend) {
    this.#backend = backend;
  }

  logged(request: IncomingRequest, response: Response, reason: string): Response {
    this.#log(request, response.status, reason);
    return response;
  }

  /**
   * Answers 401, or 429 to an address that sends too many invalid keys. Its requests with a valid
   * key still pass.
   */
  invalidKey(request: IncomingRequest): Response {
    return this.#invalidKeys.take(request.from)
      ? this.logged(request, unauthorized(), "no such key")
      : tooManyRequests();
  }

  /**
   * The error for an invalid key in the first message of a WebSocket; logged and limited in the
   * same way.
   */
  invalidKeyError(request: IncomingRequest): HoltError {
    if (!this.#invalidKeys.take(request.from))
      return new HoltError("ERLIMIT", "too many requests", { hint: "wait, then try again" });
    this.#log(request, 401, "no such key");
    return invalidKey();
  }

  /** Logs the path without its query, which may contain a key. */
  #log({ request, from, correlationId }: IncomingRequest, status: number, reason: string): void {
    // Without a Host header, request.url is only the path.
    const path = (URL.parse(request.url, NOWHERE)?.pathname ?? "").slice(0, 200);
    const fields = { correlation_id: correlationId, status, method: request.method, path, from, reason };
    this.#backend.log("warn", "http refused", fields);
  }
}
