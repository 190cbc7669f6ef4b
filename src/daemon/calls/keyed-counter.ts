/** Counts by key; a key with count 0 is dropped. */
export class KeyedCounter {
  readonly #counts = new Map<string, number>();

  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  /** Adds one. `over` removes it; further calls of it do nothing. */
  add(key: string): { count: number; over: () => void } {
    const count = this.increment(key);
    let isOver = false;
    const over = (): void => {
      if (isOver) return;
      isOver = true;
      this.decrement(key);
    };
    return { count, over };
  }

  /** Returns the new count. */
  increment(key: string): number {
    const count = this.of(key) + 1;
    this.#counts.set(key, count);
    return count;
  }

  decrement(key: string): void {
    const left = this.of(key) - 1;
    if (left === 0) this.#counts.delete(key);
    else this.#counts.set(key, left);
  }
}
