/**
 * What subscriptions tell, one piece of one of them in each turn of the loop, in the order in which they asked. Whoever reads as fast as it is told would
 * otherwise be told without end before the loop looked at anybody else.
 */
export class FairShare {
  readonly #waiting: (() => void)[] = [];
  #isAsked = false;

  turn(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#ask();
    });
  }

  #ask(): void {
    if (this.#isAsked) return;
    this.#isAsked = true;
    setImmediate(() => {
      this.#isAsked = false;
      this.#waiting.shift()?.();
      if (this.#waiting.length > 0) this.#ask();
    });
  }
}
