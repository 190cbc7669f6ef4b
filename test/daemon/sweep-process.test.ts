/**
 * The daemon swept all sessions itself, every ten minutes: with thousands of them no call was
 * answered for some tenths of a second.
 */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { runSweepProcess } from "../../src/daemon/lifecycle/sweep-process.ts";
import { ago, CommandLine } from "../cli/command-line.ts";
import { ageMarks } from "../support/marks.ts";
import { HOLT } from "../support/holt.ts";

test("removes expired sessions only and logs why, while calls are answered", async () => {
  using line = new CommandLine();
  line.ended("due", { final: { ended_at: ago(90_000) } });
  line.ended("fresh");
  const failures: string[] = [];
  await runSweepProcess(line.layout, (why) => failures.push(why), [HOLT]);
  expect({ ids: line.ids, failures }).toEqual({ ids: ["due", "fresh"], failures: [] });
  ageMarks(line.layout);
  let turns = 0;
  const turning = setInterval(() => turns++, 0);
  await runSweepProcess(line.layout, (why) => failures.push(why), [HOLT]);
  clearInterval(turning);
  expect({ ids: line.ids, failures }).toEqual({ ids: ["fresh"], failures: [] });
  expect(turns).toBeGreaterThan(1);
  expect(readFileSync(line.layout.logFile, "utf8")).toContain('"cleanup_reason":"expired"');
});

test.each([
  [["/nowhere/holt"], "/nowhere/holt"],
  [[HOLT, "--nonsense"], "--nonsense"],
])("a failed sweep reports why: %j", async (own, why) => {
  using line = new CommandLine();
  const failures: string[] = [];
  await runSweepProcess(line.layout, (failure) => failures.push(failure), own);
  expect(failures).toEqual([expect.stringContaining(why)]);
});
