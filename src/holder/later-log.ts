/** A log that nobody waits for: its lines are written when the loop next turns, or at the end. What is wrong is written at once. */
import type { Log, LogLevel } from "../platform/log.ts";
import { DEFAULT_LOG_LEVEL, isLogged, type LogChoice } from "../protocol/log-choice.ts";

interface Entry {
  level: LogLevel;
  message: string;
  fields: Record<string, unknown>;
}

export class LaterLog implements Log {
  readonly #open: () => Log;
  readonly #least: LogLevel;
  #log: Log | null = null;
  #waiting: Entry[] = [];

  constructor(open: () => Log, choice: LogChoice | null = null) {
    this.#open = open;
    this.#least = choice?.level ?? DEFAULT_LOG_LEVEL;
  }

  has(level: LogLevel): boolean {
    return isLogged(level, this.#least);
  }

  write(level: LogLevel, message: string, fields: Record<string, unknown> = {}): void {
    if (!this.has(level)) return;
    if (this.#waiting.length === 0) setImmediate(() => this.#flush());
    this.#waiting.push({ level, message, fields: { time: new Date().toISOString(), ...fields } });
    if (level === "error" || level === "warn") this.#flush();
  }

  [Symbol.dispose](): void {
    this.#flush();
    this.#log?.[Symbol.dispose]();
  }

  #flush(): void {
    const entries = this.#waiting;
    this.#waiting = [];
    if (entries.length === 0) return;
    this.#log ??= this.#open();
    for (const { level, message, fields } of entries) this.#log.write(level, message, fields);
  }
}
