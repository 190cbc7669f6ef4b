/**
 * Limits the work of one connection in one turn of the event loop: a number of calls, and a time. A
 * connection with more work schedules another turn with setImmediate, behind all other connections.
 * Otherwise a flood of synchronous calls would block the loop.
 */
const MAX_CALLS = 64;
const MAX_MS = 2;
/**
 * An asynchronous call counts as this many: most of its work comes later, perhaps in the same turn
 * of the loop.
 */
const LONG_CALL_WEIGHT = 16;

/** Milliseconds since any fixed point. */
export type Clock = () => number;

export class TurnBudget {
  readonly #runTurn: () => void;
  readonly #clock: Clock;
  #left = 0;
  #until = 0;
  #scheduled: ReturnType<typeof setImmediate> | null = null;

  constructor(runTurn: () => void, clock: Clock) {
    this.#runTurn = runTurn;
    this.#clock = clock;
  }

  /** Starts a turn, unless one is scheduled: then that turn comes first. */
  begin(): void {
    if (this.#scheduled !== null) return;
    this.#left = MAX_CALLS;
  }

  /**
   * Takes one call from the budget; false when it is used up. The time starts with the first call,
   * because most turns have only one.
   */
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
