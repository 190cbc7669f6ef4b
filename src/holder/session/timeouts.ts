/** The timeout and the idle timeout of a session. */
import type { FinalReason } from "../../protocol/types/session.ts";

export interface Timeouts {
  /** For the whole life of the session. */
  timeoutMs: number | null;
  /** Without output, input, and clients that attach, detach or resize. */
  idleTimeoutMs: number | null;
}

/** The longest delay of a timer; a longer one fires at once. */
export const LONGEST_MS = 2 ** 31 - 1;

/** Ends a session when its timeout or its idle timeout has expired. */
export class Deadlines {
  readonly #expired: (reason: FinalReason) => void;
  readonly #timers: ReturnType<typeof setTimeout>[] = [];
  #lastActivity = performance.now();

  constructor({ timeoutMs, idleTimeoutMs }: Timeouts, expired: (reason: FinalReason) => void) {
    this.#expired = expired;
    if (timeoutMs !== null) this.#lifeEndsIn(timeoutMs);
    if (idleTimeoutMs !== null) this.#checkAfter(idleTimeoutMs, idleTimeoutMs);
  }

  active(now: number): void {
    this.#lastActivity = now;
  }

  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #lifeEndsIn(ms: number): void {
    const now = Math.min(ms, LONGEST_MS);
    this.#timers.push(setTimeout(() => (ms > now ? this.#lifeEndsIn(ms - now) : this.#expired("timeout")), now));
  }

  #checkAfter(ms: number, idleTimeoutMs: number): void {
    const look = (): void => {
      const left = this.#lastActivity + idleTimeoutMs - performance.now();
      if (left <= 0) this.#expired("idle_timeout");
      else this.#checkAfter(left, idleTimeoutMs);
    };
    this.#timers.push(setTimeout(look, Math.min(ms, LONGEST_MS)));
  }
}
