/**
 * Collects garbage when calls have grown the daemon's memory. Large texts and screens outlive the
 * young generation and would stay until the runtime's next full collection.
 */
const COLLECT_EVERY_BYTES = 24 * 1024 * 1024;
/** Short calls make little garbage each: memory is checked once for many of them. */
const CHECK_EVERY_CALLS = 64;
const CHECK_EVERY_MS = 5;

export class Collector {
  /** Resident bytes after the last collection. */
  #kept = residentBytes() ?? 0;
  #calls = 0;
  #isDue = false;

  /** `began`: start time of the call. */
  callEnded(began: number): void {
    if (this.#isDue || (++this.#calls < CHECK_EVERY_CALLS && performance.now() - began < CHECK_EVERY_MS)) return;
    this.#calls = 0;
    const now = residentBytes() ?? this.#kept;
    this.#kept = Math.min(this.#kept, now);
    if (now - this.#kept < COLLECT_EVERY_BYTES) return;
    this.#isDue = true;
    setImmediate(() => this.#collect()); // after the answer is sent
  }

  #collect(): void {
    Bun.gc(true);
    this.#kept = residentBytes() ?? this.#kept;
    this.#isDue = false;
  }
}

/** Null if no descriptor is free to read it. */
function residentBytes(): number | null {
  try {
    return process.memoryUsage.rss();
  } catch {
    return null;
  }
}
