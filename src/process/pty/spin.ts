/**
 * Busy-waits for an event that is microseconds away, which is faster than sleeping and waking.
 * After failures it is rarely tried.
 */
const RETRIED_SPINS = 16;
/** On one processor, spinning would keep the command from printing. */
const CAN_SPIN = process.platform === "linux" && navigator.hardwareConcurrency > 1;

export class Spin {
  readonly #look: () => boolean;
  readonly #maxMisses: number;
  #misses = 0;

  /**
   * `look` spins for a bounded time. After `maxMisses` failures in a row only one try in sixteen
   * spins.
   */
  constructor(look: () => boolean, maxMisses: number) {
    this.#look = look;
    this.#maxMisses = maxMisses;
  }

  /** True when it was tried and succeeded. */
  finds(): boolean {
    if (!CAN_SPIN || (this.#misses >= this.#maxMisses && ++this.#misses % RETRIED_SPINS !== 0)) return false;
    const isFound = this.#look();
    this.#misses = isFound ? 0 : this.#misses + 1;
    return isFound;
  }
}
