/** Calls back when a key is revoked or expires, so that connections end with their key. */
import type { HttpBackend, Grant } from "../http/backend.ts";

/** The longest delay of setTimeout. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export class TokenLifetime implements Disposable {
  readonly #expiresAt: number;
  readonly #onEnd: () => void;
  readonly #revocation: Disposable;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(backend: HttpBackend, { token_id, expires_at }: Grant, onEnd: () => void) {
    this.#expiresAt = expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at);
    this.#onEnd = onEnd;
    this.#revocation = backend.onRevoked(token_id, onEnd);
    this.#checkExpiry();
  }

  [Symbol.dispose](): void {
    this.#revocation[Symbol.dispose]();
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  /** Compares with the wall clock, which may have been changed meanwhile. */
  #checkExpiry(): void {
    const left = this.#expiresAt - Date.now();
    if (left <= 0) this.#onEnd();
    else if (left !== Number.POSITIVE_INFINITY)
      this.#timer = setTimeout(() => this.#checkExpiry(), Math.min(left, MAX_TIMER_MS)).unref();
  }
}
