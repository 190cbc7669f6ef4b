/** Who wrote how much into a session, for events.jsonl: a line for each while of typing, not for each key. */
const QUIET_MS = 2000;

interface Count {
  bytes: number;
  lastAt: number;
  /** Not set anew by each key: it looks when the last was. */
  timer: ReturnType<typeof setTimeout>;
}

export class InputAccount {
  readonly #record: (client: string, bytes: number) => void;
  readonly #counts = new Map<string, Count>();

  constructor(record: (client: string, bytes: number) => void) {
    this.#record = record;
  }

  wrote(client: string, bytes: number): void {
    const count = this.#counts.get(client);
    if (count === undefined) {
      this.#counts.set(client, { bytes, lastAt: performance.now(), timer: this.#look(client, QUIET_MS) });
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
    this.#record(client, count.bytes);
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
