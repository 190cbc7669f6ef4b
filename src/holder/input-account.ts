/** Who wrote how much into a session, for events.jsonl: a line for each while of typing, not for each key. */
const QUIET_MS = 2000;

export class InputAccount {
  readonly #record: (client: string, bytes: number) => void;
  readonly #counts = new Map<string, { bytes: number; timer: ReturnType<typeof setTimeout> }>();

  constructor(record: (client: string, bytes: number) => void) {
    this.#record = record;
  }

  wrote(client: string, bytes: number): void {
    const before = this.#counts.get(client);
    if (before !== undefined) clearTimeout(before.timer);
    const timer = setTimeout(() => this.settle(client), QUIET_MS);
    timer.unref();
    this.#counts.set(client, { bytes: (before?.bytes ?? 0) + bytes, timer });
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
}
