/** Correlation ids: the same id appears in the answer, the log and the audit record of a call. */
import { newSessionId } from "../types/session-id.ts";

/** A caller's id is copied into headers and logs: it must be short and of harmless characters. */
const VALID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

/** The caller's id; null where it has none or an invalid one. */
export function ownCorrelationId(given: unknown): string | null {
  return typeof given === "string" && VALID.test(given) ? given : null;
}

/** Ids that are unique over processes and calls. */
export class CorrelationIds {
  readonly #epoch = newSessionId();
  #count = 0;

  next(): string {
    return `${this.#epoch}-${(++this.#count).toString(36)}`;
  }
}
