/**
 * One connection's share of the loop. In a turn it begins so many calls at most, or works so long; whoever has more to do asks for another turn, which comes when
 * the loop has looked after everybody else. A flood of calls that never wait for anything would otherwise keep the loop for itself.
 */
const MAX_CALLS = 64;
const MAX_MS = 2;
/** One that is not answered at once counts for so many: most of its work comes after the turn, in the same turn of the loop perhaps. */
const LONG_CALL_WEIGHT = 16;

/** In milliseconds, of whatever beginning. */
export type Clock = () => number;

export class TurnBudget {
  readonly #runTurn: () => void;
  readonly #clock: Clock;
  #left = 0;
  #until = 0;
  #scheduled: ReturnType<typeof setImmediate> | null = null;

  constructor(another: () => void, clock: Clock) {
    this.#runTurn = another;
    this.#clock = clock;
  }

  /** The loop has come round to this connection. One that has asked for its turn has it then, not before. */
  begin(): void {
    if (this.#scheduled !== null) return;
    this.#left = MAX_CALLS;
  }

  /** Whether there may be one more. With the first its time begins: most turns have no second. */
  take(): boolean {
    if (this.#left <= 0) return false;
    const now = this.#clock();
    if (this.#left === MAX_CALLS) this.#until = now + MAX_MS;
    this.#left = now < this.#until ? this.#left - 1 : 0;
    return true;
  }

  chargeLongCall(): void {
    this.#left -= LONG_CALL_WEIGHT - 1;
  }

  schedule(): void {
    this.#left = 0;
    this.#scheduled ??= setImmediate(() => {
      this.#scheduled = null;
      this.begin();
      this.#runTurn();
    });
  }

  cancel(): void {
    if (this.#scheduled !== null) clearImmediate(this.#scheduled);
    this.#scheduled = null;
    this.#left = 0;
  }
}
