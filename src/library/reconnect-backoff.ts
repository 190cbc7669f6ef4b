/** How long a stream dials a daemon again that cannot be reached, or dies at once: for a while without any success, with pauses that grow. */
const PATIENCE_MS = 30_000;
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 250;

export class ReconnectBackoff {
  readonly #signal: AbortSignal | null;
  #until = performance.now() + PATIENCE_MS;
  #pauseMs = 0;

  constructor(signal: AbortSignal | null) {
    this.#signal = signal;
  }

  renew(): void {
    this.#until = Number.POSITIVE_INFINITY;
    this.#pauseMs = 0;
  }

  /** False when it is at an end. After a success the first try is made at once. */
  async pause(): Promise<boolean> {
    this.#until = Math.min(this.#until, performance.now() + PATIENCE_MS);
    if (performance.now() >= this.#until) return false;
    if (this.#pauseMs > 0) await this.#sleep(this.#pauseMs);
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, this.#pauseMs * 2));
    return true;
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const over = (): void => {
        clearTimeout(timer);
        this.#signal?.removeEventListener("abort", over);
        resolve();
      };
      const timer = setTimeout(over, ms);
      this.#signal?.addEventListener("abort", over, { once: true });
    });
  }
}
