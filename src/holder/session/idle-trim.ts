/**
 * What a session keeps of the machine while nothing happens in it.
 *
 * The start's garbage goes after a second. The code that only the start ran goes later: the engine gives up what has not
 * run for 15 s, and only when it collects; what is left of it, and the memory's loose ends, when it is told to shrink. A session that becomes busy and quiet again is cleared again.
 *
 * The executable starts with a JIT that waits (`--compile-jit-policy` in scripts/build): compiled code and its threads cost more
 * than they bring to a command that prints a screenful. A session that moves 256 KiB without a quiet while gets the JIT back.
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
      // What the first time let go of is only then free to be given back.
      setTimeout(releaseMemory, AGAIN_MS).unref();
    }, ms).unref();
  }
}

/** The runtime has it, though its types do not say so. */
const runtime = Bun as unknown as { shrink(): void };

/** Compiled code and everything else that can be made again. */
function releaseMemory(): void {
  runtime.shrink();
  Bun.gc(true);
}
