/** Counts each client's input for events.jsonl: one event per span of typing, not per key. */
const QUIET_MS = 2000;

/** A span of typing: when it began, and the output cursor at that time. */
export interface InputSpan {
  since: string;
  cursor: number;
  bytes: number;
}

interface Count extends InputSpan {
  lastAt: number;
  /** Not restarted by each key: when it fires, it checks `lastAt`. */
  timer: ReturnType<typeof setTimeout>;
}

export class InputCounter {
  readonly #record: (client: string, typed: InputSpan) => void;
  readonly #counts = new Map<string, Count>();

  constructor(record: (client: string, typed: InputSpan) => void) {
    this.#record = record;
  }

  add(client: string, bytes: number, cursor: number): void {
    const count = this.#counts.get(client);
    if (count === undefined) {
      const since = new Date().toISOString();
      const timer = this.#checkAfter(client, QUIET_MS);
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

  #checkAfter(client: string, ms: number): ReturnType<typeof setTimeout> {
    return setTimeout(() => {
      const count = this.#counts.get(client);
      if (count === undefined) return;
      const left = count.lastAt + QUIET_MS - performance.now();
      if (left > 0) count.timer = this.#checkAfter(client, left);
      else this.settle(client);
    }, ms).unref();
  }
}
