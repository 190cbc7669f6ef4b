/** Runs an action for the latest value only, one at a time and at most sixty times a second. */
const INTERVAL_MS = 17;

export class LatestValueRunner<T> {
  readonly #action: (value: T) => Promise<void>;
  #next: { value: T } | null = null;
  #isRunning = false;

  constructor(action: (value: T) => Promise<void>) {
    this.#action = action;
  }

  push(value: T): void {
    this.#next = { value };
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    try {
      for (let now = this.#next; now !== null; now = this.#next) {
        this.#next = null;
        await this.#action(now.value);
        await Bun.sleep(INTERVAL_MS);
      }
    } finally {
      this.#isRunning = false;
    }
  }
}
