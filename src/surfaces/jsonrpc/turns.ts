/**
 * One connection's share of the loop. In a turn it begins so many calls at most, or works so long; whoever has more to do asks for another turn, which comes when
 * the loop has looked after everybody else. A flood of calls that never wait for anything would otherwise keep the loop for itself.
 */
const CALLS = 64;
const MS = 2;
/** One that is not answered at once counts for so many: most of its work comes after the turn, in the same turn of the loop perhaps. */
const A_LONG_ONE = 16;

/** In milliseconds, of whatever beginning. */
export type Clock = () => number;

export class Turns {
  readonly #another: () => void;
  readonly #clock: Clock;
  #left = 0;
  #until = 0;
  #asked: ReturnType<typeof setImmediate> | null = null;

  constructor(another: () => void, clock: Clock) {
    this.#another = another;
    this.#clock = clock;
  }

  /** The loop has come round to this connection. One that has asked for its turn has it then, not before. */
  begin(): void {
    if (this.#asked !== null) return;
    this.#left = CALLS;
  }

  /** Whether there may be one more. With the first its time begins: most turns have no second. */
  take(): boolean {
    if (this.#left <= 0) return false;
    const now = this.#clock();
    if (this.#left === CALLS) this.#until = now + MS;
    this.#left = now < this.#until ? this.#left - 1 : 0;
    return true;
  }

  tookLong(): void {
    this.#left -= A_LONG_ONE - 1;
  }

  askForAnother(): void {
    this.#left = 0;
    this.#asked ??= setImmediate(() => {
      this.#asked = null;
      this.begin();
      this.#another();
    });
  }

  end(): void {
    if (this.#asked !== null) clearImmediate(this.#asked);
    this.#asked = null;
    this.#left = 0;
  }
}
