/** One thing after the other, and of those that come meanwhile the last alone; at most sixty a second. */
const EVERY_MS = 17;

export class Latest<T> {
  readonly #act: (value: T) => Promise<void>;
  #next: { value: T } | null = null;
  #isBusy = false;

  constructor(act: (value: T) => Promise<void>) {
    this.#act = act;
  }

  push(value: T): void {
    this.#next = { value };
    if (!this.#isBusy) void this.#work();
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    try {
      for (let now = this.#next; now !== null; now = this.#next) {
        this.#next = null;
        await this.#act(now.value);
        await Bun.sleep(EVERY_MS);
      }
    } finally {
      this.#isBusy = false;
    }
  }
}
