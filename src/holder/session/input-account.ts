/** Who wrote how much into a session, for events.jsonl: a line for each while of typing, not for each key. */
const QUIET_MS = 2000;

/** A while of typing: when it began, and what had been printed by then. */
export interface Typed {
  since: string;
  cursor: number;
  bytes: number;
}

interface Count extends Typed {
  lastAt: number;
  /** Not set anew by each key: it looks when the last was. */
  timer: ReturnType<typeof setTimeout>;
}

export class InputAccount {
  readonly #record: (client: string, typed: Typed) => void;
  readonly #counts = new Map<string, Count>();

  constructor(record: (client: string, typed: Typed) => void) {
    this.#record = record;
  }

  wrote(client: string, bytes: number, cursor: number): void {
    const count = this.#counts.get(client);
    if (count === undefined) {
      const since = new Date().toISOString();
      const timer = this.#look(client, QUIET_MS);
      this.#counts.set(client, { since, cursor, bytes, lastAt: performance.now(), timer });
      return;
    }
    count.bytes += bytes;
    count.lastAt = performance.now();
  }

  settle(client: string): void {
    const count = this.#counts.get(client);
    if (count === undefined) return;
    clearTimeout(count.timer);
    this.#counts.delete(client);
    const { since, cursor, bytes } = count;
    this.#record(client, { since, cursor, bytes });
  }

  settleAll(): void {
    for (const client of this.#counts.keys()) this.settle(client);
  }

  #look(client: string, ms: number): ReturnType<typeof setTimeout> {
    return setTimeout(() => {
      const count = this.#counts.get(client);
      if (count === undefined) return;
      const left = count.lastAt + QUIET_MS - performance.now();
      if (left > 0) count.timer = this.#look(client, left);
      else this.settle(client);
    }, ms).unref();
  }
}
