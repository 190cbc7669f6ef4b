/** A socket is open for as long as the key that opened it: when that is taken back or ends, so does what came in with it. */
import type { HttpBackend, Grant } from "../http/backend.ts";

/** A timer of the runtime's holds no more. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export class TokenLifetime implements Disposable {
  readonly #expiresAt: number;
  readonly #onEnd: () => void;
  readonly #revocation: Disposable;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(backend: HttpBackend, { token_id, expires_at }: Grant, over: () => void) {
    this.#expiresAt = expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at);
    this.#onEnd = over;
    this.#revocation = backend.onRevoked(token_id, over);
    this.#checkExpiry();
  }

  [Symbol.dispose](): void {
    this.#revocation[Symbol.dispose]();
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  /** By the clock, which may have been set meanwhile. */
  #checkExpiry(): void {
    const left = this.#expiresAt - Date.now();
    if (left <= 0) this.#onEnd();
    else if (left !== Number.POSITIVE_INFINITY)
      this.#timer = setTimeout(() => this.#checkExpiry(), Math.min(left, MAX_TIMER_MS)).unref();
  }
}
