/** Requests that are refused: each is logged, and an address that tries many keys is put off. */
import { HoltError } from "../../protocol/types/errors.ts";
import { keyEnded } from "../websocket/peer.ts";
import { tooOften, unauthorized } from "./envelope.ts";
import type { House } from "./backend.ts";
import { Rate } from "./rate.ts";
import type { Visit } from "./upgrades.ts";

/** Failed keys of one address, in a second. */
const FAILURES = 5;
const NOWHERE = "http://nowhere.invalid";

export class Refusals {
  readonly #house: House;
  readonly #failures = new Rate(() => FAILURES);

  constructor(house: House) {
    this.#house = house;
  }

  refused(visit: Visit, response: Response, reason: string): Response {
    this.#note(visit, response.status, reason);
    return response;
  }

  /** An address that fails often gets 429. Requests with a valid key pass, also from that address. */
  notOpened(visit: Visit): Response {
    return this.#failures.take(visit.from) ? this.refused(visit, unauthorized(), "no such key") : tooOften();
  }

  /** In the first message of a terminal: told and counted as in a request. */
  wrongKey(visit: Visit): HoltError {
    if (!this.#failures.take(visit.from))
      return new HoltError("ERLIMIT", "too many requests", { hint: "wait, then ask again" });
    this.#note(visit, 401, "no such key");
    return keyEnded();
  }

  /** Never with what was shown: the path has no query here. */
  #note({ request, from, correlationId }: Visit, status: number, reason: string): void {
    // Without a Host the request has only its target.
    const path = (URL.parse(request.url, NOWHERE)?.pathname ?? "").slice(0, 200);
    const fields = { correlation_id: correlationId, status, method: request.method, path, from, reason };
    this.#house.log("warn", "http refused", fields);
  }
}
