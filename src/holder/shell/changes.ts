/** Something changed: told to whoever waits for the next change, or for so long. */
export class Changes {
  #waiting: (() => void)[] = [];

  tell(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }

  async next(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    this.#waiting.push(resolve);
    await promise;
    clearTimeout(timer);
    const at = this.#waiting.indexOf(resolve);
    if (at !== -1) this.#waiting.splice(at, 1);
  }
}
