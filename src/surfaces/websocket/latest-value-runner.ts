/** One thing after the other, and of those that come meanwhile the last alone; at most sixty a second. */
const INTERVAL_MS = 17;

export class LatestValueRunner<T> {
  readonly #act: (value: T) => Promise<void>;
  #next: { value: T } | null = null;
  #isRunning = false;

  constructor(act: (value: T) => Promise<void>) {
    this.#act = act;
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
        await this.#act(now.value);
        await Bun.sleep(INTERVAL_MS);
      }
    } finally {
      this.#isRunning = false;
    }
  }
}
