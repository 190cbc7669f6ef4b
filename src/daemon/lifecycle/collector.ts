/**
 * Collects garbage when calls have grown the daemon, whatever surface they came through. Large texts and screens outlive the young generation, and would lie in
 * memory until the collector thinks of them.
 */
const COLLECT_EVERY_BYTES = 24 * 1024 * 1024;
/** Calls of less than a moment make little garbage each: they are looked after together. */
const LOOK_EVERY_CALLS = 64;
const LOOK_EVERY_MS = 5;

export class Collector {
  /** What was left by the last collection. */
  #kept = residentBytes() ?? 0;
  #calls = 0;
  #isDue = false;

  /** `began`: when the call did. */
  ended(began: number): void {
    if (this.#isDue || (++this.#calls < LOOK_EVERY_CALLS && performance.now() - began < LOOK_EVERY_MS)) return;
    this.#calls = 0;
    const now = residentBytes() ?? this.#kept;
    this.#kept = Math.min(this.#kept, now);
    if (now - this.#kept < COLLECT_EVERY_BYTES) return;
    this.#isDue = true;
    setImmediate(() => this.#collect()); // the answer is sent first
  }

  #collect(): void {
    Bun.gc(true);
    this.#kept = residentBytes() ?? this.#kept;
    this.#isDue = false;
  }
}

/** Null when no descriptor is left to read it with. */
function residentBytes(): number | null {
  try {
    return process.memoryUsage.rss();
  } catch {
    return null;
  }
}
