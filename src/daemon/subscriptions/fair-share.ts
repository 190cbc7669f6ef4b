/**
 * Lets subscriptions send one piece each per turn of the event loop, in request order. A subscriber
 * that reads as fast as it is sent would otherwise keep the loop from all others.
 */
export class FairShare {
  readonly #waiting: (() => void)[] = [];
  #isScheduled = false;

  turn(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#waiting.shift()?.();
      if (this.#waiting.length > 0) this.#schedule();
    });
  }
}
