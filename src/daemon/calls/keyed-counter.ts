/** How many of something each has now; of who has none nothing is kept. */
export class KeyedCounter {
  readonly #counts = new Map<string, number>();

  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  /** How many there are with this one, and its end; a second end of the same one changes nothing. */
  add(key: string): { count: number; over: () => void } {
    const count = this.more(key);
    let isOver = false;
    const over = (): void => {
      if (isOver) return;
      isOver = true;
      this.fewer(key);
    };
    return { count, over };
  }

  /** How many there are now. */
  more(key: string): number {
    const count = this.of(key) + 1;
    this.#counts.set(key, count);
    return count;
  }

  fewer(key: string): void {
    const left = this.of(key) - 1;
    if (left === 0) this.#counts.delete(key);
    else this.#counts.set(key, left);
  }
}
