/**
 * Found when `flock LOCK holt start …` held its lock for as long as the daemon ran: what whoever started it had open as descriptor 3 was open in the daemon.
 */
import { expect, test } from "bun:test";
import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { Bench, HOLT } from "../support/holt.ts";
import { end } from "./household.ts";

test("a daemon, its holders and their sessions have nothing open that whoever started them had", async () => {
  using bench = Bench.withDaemon();
  const opened = Array.from({ length: 17 }, (_, i) => `${i + 3}>lock-${i + 3}`).join(" ");
  const script = `exec ${opened}; $HOLT daemon; $HOLT start -- sleep 60; HOLT_NO_DAEMON=1 $HOLT start -- sleep 60`;
  const run = Bun.spawn(["bash", "-c", script], {
    cwd: bench.root,
    env: { ...bench.env, HOLT },
    stdout: "ignore",
  });
  try {
    expect(await run.exited).toBe(0);
    const sessions = bench.started().map((id) => bench.meta(id));
    const pids = [bench.daemonPid ?? 0, ...bench.holders(), ...sessions.map(({ process }) => process?.pid ?? 0)];
    expect(pids.length).toBeGreaterThanOrEqual(5);
    expect(pids.flatMap(openFilesOf).filter((path) => path.startsWith(join(bench.root, "lock-")))).toEqual([]);
  } finally {
    await end(bench);
  }
});

/** Of a holder there may have been a child for a moment, on its way to be another program: one that is gone has nothing open. */
function openFilesOf(pid: number): string[] {
  return descriptorsOf(pid).flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${fd}`)];
    } catch {
      return []; // it was closed meanwhile
    }
  });
}

function descriptorsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`);
  } catch (error) {
    if (existsSync(`/proc/${pid}`)) throw error;
    return [];
  }
}
