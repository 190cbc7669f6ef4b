/** Counts by key; a key with count 0 is dropped. */
export class KeyedCounter {
  readonly #counts = new Map<string, number>();

  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  /** Adds one. `release` removes it; further calls of it do nothing. */
  add(key: string): { count: number; release: () => void } {
    const count = this.increment(key);
    let isReleased = false;
    const release = (): void => {
      if (isReleased) return;
      isReleased = true;
      this.decrement(key);
    };
    return { count, release };
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
