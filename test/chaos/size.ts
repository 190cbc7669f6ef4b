/** Each test is small in `make test` and at full size in `make soak`. */
import { seed } from "../support/seed.ts";

export const SOAK = process.env["HOLT_SOAK"] === "1";

export function size(small: number, full: number): number {
  return SOAK ? full : small;
}

/** `work(0)` to `work(count - 1)`, `width` of them at a time. The first failure ends it, once those under way have ended. */
export async function inParallel(count: number, width: number, work: (number: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  const outcomes = await Promise.allSettled(Array.from({ length: width }, worker));
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
}

/** Numbers in [0, 1) that come again with the same seed, which is printed. */
export function randomNumbers(): () => number {
  let state = seed;
  console.log(`HOLT_CHAOS_SEED=${state}`);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Asks every few milliseconds, less often the longer it takes, until it is so; fails with `what` when it does not become so. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>, ms = 20_000): Promise<void> {
  const began = performance.now();
  while (!(await isSo())) {
    const passed = performance.now() - began;
    if (passed > ms) throw new Error(`not within ${ms} ms: ${what}`);
    await Bun.sleep(Math.min(20, 2 + passed / 20));
  }
}
