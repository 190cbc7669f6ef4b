/**
 * Detects a quiet session: no output, no input and no CPU time in its whole tree. Only records an
 * event; it ends nothing.
 */
import { textOf } from "../../protocol/types/bytes.ts";
import { parseDuration } from "../../protocol/types/duration.ts";
import { LONGEST_MS } from "./timeouts.ts";

export const QUIET_AFTER_MS = 10 * 60 * 1000;
const LEAST_MS = 100;
export const QUIET_AFTER = "HOLT_QUIET_AFTER";

/** `value` is HOLT_QUIET_AFTER in the caller's environment. */
export function quietAfterFrom(value: Uint8Array | null): number {
  const ms = value === null ? null : parseDuration(textOf(value));
  return ms === null ? QUIET_AFTER_MS : Math.max(LEAST_MS, ms);
}

export interface QuietOptions {
  afterMs: number;
  /** CPU time of the whole tree so far. Read only after half the time without output and input. */
  cpuTicks: () => number;
  /** `since` is when it became quiet, as RFC 3339; null when it is active again. */
  changed: (since: string | null) => void;
}

export class QuietWatch {
  readonly #options: QuietOptions;
  readonly #timer: ReturnType<typeof setInterval>;
  #lastActivity = performance.now();
  #ticks = -1;
  #isQuiet = false;

  constructor(options: QuietOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#check(), Math.min(options.afterMs / 2, LONGEST_MS));
    this.#timer.unref();
  }

  active(now: number): void {
    this.#lastActivity = now;
    if (this.#isQuiet) this.#setQuiet(false);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    const now = performance.now();
    if (now - this.#lastActivity < this.#options.afterMs / 2) return;
    const ticks = this.#options.cpuTicks();
    if (ticks !== this.#ticks) {
      // The first check only stores the value: earlier CPU time is no new activity.
      if (this.#ticks >= 0) this.active(now);
      this.#ticks = ticks;
    }
    if (!this.#isQuiet && now - this.#lastActivity >= this.#options.afterMs) this.#setQuiet(true);
  }

  #setQuiet(isQuiet: boolean): void {
    this.#isQuiet = isQuiet;
    const ago = performance.now() - this.#lastActivity;
    this.#options.changed(isQuiet ? new Date(Date.now() - ago).toISOString() : null);
  }
}
