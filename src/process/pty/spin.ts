/** To look again and again finds what is a few microseconds away sooner than to sleep and be woken. Where that was in vain, it is not tried for a while. */
const RETRIED_SPINS = 16;
/** With one processor, to look is to keep the command from printing. */
const CAN_SPIN = process.platform === "linux" && navigator.hardwareConcurrency > 1;

export class Spin {
  readonly #look: () => boolean;
  readonly #mostMissed: number;
  #missed = 0;

  /** `look` looks for as long as is worth while. After so many in vain, one after the other, only one in sixteen is tried. */
  constructor(look: () => boolean, mostMissed: number) {
    this.#look = look;
    this.#mostMissed = mostMissed;
  }

  /** Whether it was looked for, and found. */
  finds(): boolean {
    if (!CAN_SPIN || (this.#missed >= this.#mostMissed && ++this.#missed % RETRIED_SPINS !== 0)) return false;
    const isFound = this.#look();
    this.#missed = isFound ? 0 : this.#missed + 1;
    return isFound;
  }
}
