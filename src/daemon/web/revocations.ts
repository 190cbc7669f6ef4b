/**
 * Notifies connections when their key is revoked. While any waits, changes made on disk are polled
 * for.
 */
const POLL_MS = 1000;

export class Revocations {
  readonly #poll: () => void;
  /** Listeners by the key of their connection. */
  readonly #listeners = new Map<string, Set<() => void>>();
  #timer: ReturnType<typeof setInterval> | null = null;

  constructor(poll: () => void) {
    this.#poll = poll;
  }

  add(tokenId: string, listener: () => void): Disposable {
    const all = this.#listeners.get(tokenId) ?? new Set();
    this.#listeners.set(tokenId, all.add(listener));
    this.#timer ??= setInterval(this.#poll, POLL_MS).unref();
    return {
      [Symbol.dispose]: () => {
        all.delete(listener);
        if (all.size === 0 && this.#listeners.get(tokenId) === all) this.#listeners.delete(tokenId);
        if (this.#listeners.size === 0) this.#stopPolling();
      },
    };
  }

  readonly isAwaited = (tokenId: string): boolean => this.#listeners.has(tokenId);

  /** Returns whether there was a listener. */
  notify(tokenId: string): boolean {
    const listeners = this.#listeners.get(tokenId);
    for (const listener of listeners ?? []) listener();
    return listeners !== undefined;
  }

  #stopPolling(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }
}
