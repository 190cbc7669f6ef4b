/** The holders that this daemon started: whose end it hears of without following them, and whom it has to reap. */
import { waitFor } from "../platform/wait.ts";
import type { Final } from "../protocol/session.ts";
import type { HolderEvents } from "./new-holder.ts";

const REAP_MS = 500;

/** Told of the end of a session, with its last word if that was told. */
type Told = (final: Final | null) => void;

export class Births implements Disposable {
  /** Of each session that was started here and lives, who waits for its end: a promise would keep what everybody ever had waited with. */
  readonly #ends = new Map<string, Set<Told>>();
  readonly #unreaped = new Set<number>();
  readonly #changed: (final: Final | null) => void;
  #timer: ReturnType<typeof setInterval> | null = null;

  /** Told of each end, with the last word if there was one. */
  constructor(changed: (final: Final | null) => void) {
    this.#changed = changed;
  }

  /** Tells once when the session has ended. Returns how to forget it; null when it was not started here, or is over. */
  onceEnded(sessionId: string, told: Told): (() => void) | null {
    const waiting = this.#ends.get(sessionId);
    waiting?.add(told);
    return waiting === undefined ? null : () => void waiting.delete(told);
  }

  /** From before the start, so that a wait may come right behind it. An id that somebody else has stays theirs. */
  expect(sessionId: string): { end: Promise<Final | null>; events: HolderEvents } {
    const end = Promise.withResolvers<Final | null>();
    const waiting = new Set<Told>([end.resolve]);
    if (!this.#ends.has(sessionId)) this.#ends.set(sessionId, waiting);
    const over = (final: Final | null): void => {
      this.#changed(final);
      if (this.#ends.get(sessionId) === waiting) this.#ends.delete(sessionId);
      for (const told of waiting) told(final);
      waiting.clear();
    };
    const events: HolderEvents = {
      ended: ({ ended, final = null }) => {
        if (ended === sessionId) over(final);
      },
      gone: () => over(null),
    };
    return { end: end.promise, events };
  }

  /** Whether it is a holder that this daemon started, and that lives. */
  isOurs(pid: number): boolean {
    return this.#unreaped.has(pid);
  }

  started(pid: number): void {
    this.#unreaped.add(pid);
    this.#timer ??= setInterval(() => this.#reap(), REAP_MS);
  }

  [Symbol.dispose](): void {
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  #reap(): void {
    for (const pid of this.#unreaped)
      if (waitFor(pid, { block: false, stops: false }) !== null) this.#unreaped.delete(pid);
  }
}
