/**
 * Frees memory that a session does not need while it is idle.
 *
 * Garbage of the start is collected after a second. Code that only the start ran is freed later:
 * the engine drops code that has not run for 15 s, and only when it collects; `Bun.shrink()` frees
 * the rest and returns free pages. This is repeated whenever a busy session becomes quiet.
 *
 * The executable starts with a delayed JIT (`--compile-jit-policy` in scripts/build-flags):
 * compiled code and its threads cost more than they gain for a screenful of output. A session that
 * moves 256 KiB without a pause gets the JIT back.
 */
const START_MS = 1000;
const QUIET_MS = 16_000;
const FLOOD_BYTES = 256 * 1024;
const AGAIN_MS = 500;

export class IdleTrim {
  #lastUse = performance.now();
  #isWaiting = false;
  #bytes = 0;
  readonly #start = setTimeout(() => Bun.gc(true), START_MS).unref();
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor() {
    this.#wait(QUIET_MS);
  }

  stop(): void {
    clearTimeout(this.#start);
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  used(bytes: number, now: number): void {
    this.#lastUse = now;
    if (!this.#isWaiting) this.#wait(QUIET_MS);
    if (this.#bytes > FLOOD_BYTES) return;
    this.#bytes += bytes;
    if (this.#bytes > FLOOD_BYTES) Bun.unsafe.setJITPolicy(1);
  }

  #wait(ms: number): void {
    this.#isWaiting = true;
    this.#timer = setTimeout(() => {
      const left = this.#lastUse + QUIET_MS - performance.now();
      if (left > 0) return this.#wait(left);
      this.#isWaiting = false;
      this.#bytes = 0;
      releaseMemory();
      // Memory that the first pass released can be returned only then.
      setTimeout(releaseMemory, AGAIN_MS).unref();
    }, ms).unref();
  }
}

/** Exists in Bun, but not in its types. */
const runtime = Bun as unknown as { shrink(): void };

/** Frees compiled code and everything else that can be rebuilt. */
function releaseMemory(): void {
  runtime.shrink();
  Bun.gc(true);
}
