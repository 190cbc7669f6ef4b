/** A bounded number of tasks at once. */
import { HoltError } from "../../../protocol/types/errors.ts";

/** Waiting tasks run in order; an aborted one leaves the queue. */
export class Semaphore {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#acquire(signal);
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }

  async #acquire(signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw canceled();
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = (): void => {
      this.#waiting.splice(this.#waiting.indexOf(resolve), 1);
      reject(canceled());
    };
    this.#waiting.push(resolve);
    signal.addEventListener("abort", leave, { once: true });
    await promise.finally(() => signal.removeEventListener("abort", leave));
  }
}

function canceled(): HoltError {
  return new HoltError("ECANCELED", "the call was canceled");
}
