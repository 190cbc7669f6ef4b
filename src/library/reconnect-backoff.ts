/**
 * Backoff for reconnecting a stream: growing pauses, until RETRY_MS have passed without success.
 */
const RETRY_MS = 30_000;
const FIRST_PAUSE_MS = 10;
const MAX_PAUSE_MS = 250;

export class ReconnectBackoff {
  readonly #signal: AbortSignal | null;
  #until = performance.now() + RETRY_MS;
  #pauseMs = 0;

  constructor(signal: AbortSignal | null) {
    this.#signal = signal;
  }

  reset(): void {
    this.#until = Number.POSITIVE_INFINITY;
    this.#pauseMs = 0;
  }

  /**
   * Waits before the next attempt; false when time is up. The first attempt after a success comes
   * at once.
   */
  async pause(): Promise<boolean> {
    this.#until = Math.min(this.#until, performance.now() + RETRY_MS);
    if (performance.now() >= this.#until) return false;
    if (this.#pauseMs > 0) await this.#sleep(this.#pauseMs);
    this.#pauseMs = Math.min(MAX_PAUSE_MS, Math.max(FIRST_PAUSE_MS, this.#pauseMs * 2));
    return true;
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#signal?.removeEventListener("abort", wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      this.#signal?.addEventListener("abort", wake, { once: true });
    });
  }
}
