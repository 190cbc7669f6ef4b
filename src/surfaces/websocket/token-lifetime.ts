/** A socket is open for as long as the key that opened it: when that is taken back or ends, so does what came in with it. */
import type { House, Opened } from "../http/backend.ts";

/** A timer of the runtime's holds no more. */
const LONGEST_MS = 2 ** 31 - 1;

export class Tenure implements Disposable {
  readonly #expiresAt: number;
  readonly #over: () => void;
  readonly #revocation: Disposable;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(house: House, { token_id, expires_at }: Opened, over: () => void) {
    this.#expiresAt = expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at);
    this.#over = over;
    this.#revocation = house.onRevoked(token_id, over);
    this.#look();
  }

  [Symbol.dispose](): void {
    this.#revocation[Symbol.dispose]();
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  /** By the clock, which may have been set meanwhile. */
  #look(): void {
    const left = this.#expiresAt - Date.now();
    if (left <= 0) this.#over();
    else if (left !== Number.POSITIVE_INFINITY)
      this.#timer = setTimeout(() => this.#look(), Math.min(left, LONGEST_MS)).unref();
  }
}
