/** Correlation ids: the same in an answer, in the log and in the audit. */
import { newSessionId } from "../types/session-id.ts";

/** A caller's own id goes into headers and logs: short, and of characters that mean nothing there. */
const SANE = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

/** The caller's own; null where it has none that is taken. */
export function ownCorrelationId(given: unknown): string | null {
  return typeof given === "string" && SANE.test(given) ? given : null;
}

/** No two processes, and no two calls of one, have the same id. */
export class CorrelationIds {
  readonly #epoch = newSessionId();
  #count = 0;

  next(): string {
    return `${this.#epoch}-${(++this.#count).toString(36)}`;
  }
}
