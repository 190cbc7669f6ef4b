/** Which callers have which sessions running, of those that were started here: the policy counts them. */

/** With more, those of callers that have gone, and do not ask again, are looked through too. */
const MOST_CALLERS = 100;

export class StartedSessions {
  readonly #of = new Map<string, Set<string>>();
  readonly #lives: (sessionId: string) => boolean;

  constructor(lives: (sessionId: string) => boolean) {
    this.#lives = lives;
  }

  add(caller: string, id: string): void {
    const started = this.#of.get(caller) ?? new Set();
    this.#of.set(caller, started.add(id));
  }

  living(caller: string): number {
    if (this.#of.size > MOST_CALLERS) for (const each of this.#of.keys()) this.#forgetEnded(each);
    return this.#forgetEnded(caller);
  }

  /** How many are left. */
  #forgetEnded(caller: string): number {
    const started = this.#of.get(caller) ?? new Set();
    for (const id of started) if (!this.#lives(id)) started.delete(id);
    if (started.size === 0) this.#of.delete(caller);
    return started.size;
  }
}
