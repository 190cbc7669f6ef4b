/** The holders that this daemon started: whose end it hears of without following them, and whom it has to reap. */
import { waitFor } from "../platform/wait.ts";
import type { HolderEvents } from "./new-holder.ts";

const REAP_MS = 500;

export class Births implements Disposable {
  readonly #ends = new Map<string, PromiseWithResolvers<void>>();
  readonly #unreaped = new Set<number>();
  #timer: ReturnType<typeof setInterval> | null = null;

  /** Resolves when the session has ended; null when it was not started here, or is over. */
  endOf(sessionId: string): Promise<void> | null {
    return this.#ends.get(sessionId)?.promise ?? null;
  }

  /** For one start. The end may be told before the reply was taken. */
  events(): HolderEvents & { born(sessionId: string): void } {
    const told = new Set<string>();
    let own: string | null = null;
    const over = (sessionId: string): void => {
      told.add(sessionId);
      this.#ends.get(sessionId)?.resolve();
      this.#ends.delete(sessionId);
    };
    return {
      born: (sessionId) => {
        own = sessionId;
        if (!told.has(sessionId)) this.#ends.set(sessionId, Promise.withResolvers());
      },
      ended: over,
      gone: () => {
        if (own !== null) over(own);
      },
    };
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
