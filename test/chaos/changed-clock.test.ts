/**
 * The wall clock is set while a session runs: back an hour, forward a day. Timestamps tell what the clock said; nothing else
 * may depend on it. The clock is holt's alone: a library that is loaded in front of libc adds what a file says.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseIndexRecord } from "../../src/transcript/read/index-file.ts";
import { Bench, HOLT } from "../support/holt.ts";
import { runWithFault } from "./faults.ts";
import { ShiftedClock } from "./shifted-clock.ts";
import { until } from "./size.ts";
import { expectCovers } from "./transcript-check.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let clock: ShiftedClock;
beforeAll(() => {
  clock = new ShiftedClock();
});
afterAll(() => clock[Symbol.dispose]());

/** Prints each word when the step before it was made, with the clock set to it, and ends with 7. */
async function runThrough(bench: Bench, shiftsMs: number[], options: string[]): Promise<string> {
  clock.set(0);
  const script = `for i in ${shiftsMs.map((_, i) => i).join(" ")}; do until [ -e step$i ]; do sleep 0.01; done; echo "word $i"; done; exit 7`;
  const proc = Bun.spawn([HOLT, "run", "--session-id", "x", ...options, "--", "sh", "-c", script], {
    env: { ...bench.env, ...clock.env },
    cwd: bench.root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const output = join(bench.state, "sessions", "x", "output.bin");
  for (const [i, shift] of shiftsMs.entries()) {
    clock.set(shift);
    writeFileSync(join(bench.root, `step${i}`), "");
    await until(`word ${i}`, () => existsSync(output) && bench.output("x").toString().includes(`word ${i}`));
  }
  expect(await proc.exited).toBe(7);
  return new Response(proc.stdout).text();
}

describe("when the clock is set", () => {
  test("back and forth, timestamps follow it, and durations, cursors and readers do not", async () => {
    using bench = new Bench();
    const shifts = [0, -HOUR, DAY, -DAY, 0];
    const before = performance.now();
    const began = Date.now();
    const text = await runThrough(bench, shifts, ["--timeout", "10m", "--idle-timeout", "5m"]);
    expect(text).toBe(shifts.map((_, i) => `word ${i}\n`).join(""));
    expect(expectCovers(bench, "x", Buffer.from(text)).gaps).toEqual([]);

    const records = bench.artifact("index.jsonl", "x").toString().trim().split("\n").map(parseIndexRecord);
    const offBy = records.map((record) => Date.parse(record?.timestamp ?? "") - began);
    for (const [i, shift] of shifts.entries()) expect(Math.abs((offBy[i] ?? Number.NaN) - shift)).toBeLessThan(60_000);

    const { duration_ms, reason } = bench.final("x");
    expect(reason).toBe("completed");
    expect(duration_ms).toBeGreaterThan(0);
    expect(duration_ms).toBeLessThanOrEqual(performance.now() - before);
    const read = await bench.run(["logs", "--raw", "x"]);
    expect(read.text).toBe(text);
  });

  test("back an hour in a capture gap, capture goes on without waiting for that hour", async () => {
    using bench = new Bench({ ...clock.env, HOLT_TEST_CLOCK: "clock" });
    const words = Array.from({ length: 40 }, (_, i) => `word ${i}`);
    writeFileSync(join(bench.root, "clock"), "0");
    const script = `for i in $(seq 0 39); do echo "word $i"; sleep 0.02; [ $i = 3 ] && echo -3600 > clock; done; exit 7`;
    const output = join(bench.state, "sessions", "x", "output.bin");
    const fault = { calls: "pwrite64", errno: "ENOSPC", when: "3..4", path: output };
    const { text, exitCode } = await runWithFault(bench, fault, ["--session-id", "x", "--", "sh", "-c", script]);
    expect(exitCode).toBe(7);
    expect(text).toBe(`${words.join("\n")}\n`);
    const { gaps } = expectCovers(bench, "x", Buffer.from(text));
    expect(gaps.length).toBe(1);
    expect(gaps[0]?.to).toBeLessThan(text.length);
  });
});
