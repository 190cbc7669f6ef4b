/** Requests that are refused: each is logged, and an address that tries many keys is put off. */
import { HoltError } from "../../protocol/types/errors.ts";
import { invalidKey } from "../websocket/peer.ts";
import { tooManyRequests, unauthorized } from "./responses.ts";
import type { HttpBackend } from "./backend.ts";
import { RateLimiter } from "./rate-limiter.ts";
import type { IncomingRequest } from "./upgrades.ts";

/** Failed keys of one address, in a second. */
const MAX_INVALID_KEYS = 5;
const NOWHERE = "http://nowhere.invalid";

export class Refusals {
  readonly #backend: HttpBackend;
  readonly #invalidKeys = new RateLimiter(() => MAX_INVALID_KEYS);

  constructor(backend: HttpBackend) {
    this.#backend = backend;
  }

  logged(visit: IncomingRequest, response: Response, reason: string): Response {
    this.#log(visit, response.status, reason);
    return response;
  }

  /** An address that fails often gets 429. Requests with a valid key pass, also from that address. */
  invalidKey(visit: IncomingRequest): Response {
    return this.#invalidKeys.take(visit.from) ? this.logged(visit, unauthorized(), "no such key") : tooManyRequests();
  }

  /** In the first message of a terminal: told and counted as in a request. */
  invalidKeyError(visit: IncomingRequest): HoltError {
    if (!this.#invalidKeys.take(visit.from))
      return new HoltError("ERLIMIT", "too many requests", { hint: "wait, then ask again" });
    this.#log(visit, 401, "no such key");
    return invalidKey();
  }

  /** Never with what was shown: the path has no query here. */
  #log({ request, from, correlationId }: IncomingRequest, status: number, reason: string): void {
    // Without a Host the request has only its target.
    const path = (URL.parse(request.url, NOWHERE)?.pathname ?? "").slice(0, 200);
    const fields = { correlation_id: correlationId, status, method: request.method, path, from, reason };
    this.#backend.log("warn", "http refused", fields);
  }
}
