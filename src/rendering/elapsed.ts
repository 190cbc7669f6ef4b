/**
 * Milliseconds since a beginning, which never fall, out of timestamps of a clock that somebody may have set. What is a little earlier
 * than what came before it (a run of output is stamped with its first byte) happened at the same moment; what is much earlier says that the clock was
 * set back, and time goes on from there.
 */
const SET_BACK_MS = 1000;

export class Elapsed {
  #last: number | null;
  #elapsed = 0;

  /** Null: it begins with the first timestamp. */
  constructor(start: number | null) {
    this.#last = start;
  }

  get now(): number {
    return this.#elapsed;
  }

  at(timestamp: number): number {
    const passed = timestamp - (this.#last ?? timestamp);
    if (passed >= 0 || passed < -SET_BACK_MS) this.#last = timestamp;
    this.#elapsed += Math.max(0, passed);
    return this.#elapsed;
  }
}
