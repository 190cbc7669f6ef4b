/** Found by a review: what was looked for a second later was looked for in the next session of a restarted command, too, and might have taken that one's end from it. */
import { afterAll, expect, test } from "bun:test";
import { closeSync, readdirSync, readlinkSync } from "node:fs";
import { Orphans } from "../../src/holder/session/orphans.ts";
import { spawn } from "../../src/platform/process/spawn.ts";
import { isChild } from "../../src/platform/process/wait.ts";
import { bytesOf } from "../../src/protocol/types/bytes.ts";
import { until } from "../chaos/size.ts";
import { processStatus } from "../../src/platform/process/processes.ts";

/** A holder keeps the list of its children open (process/own-children.ts). */
afterAll(() => {
  const isList = (fd: string): boolean => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).endsWith("/children");
    } catch {
      return false; // that of the directory itself
    }
  };
  readdirSync("/proc/self/fd").filter(isList).map(Number).forEach(closeSync);
});

/** That have ended, and are yet to be reaped. */
async function ended(count: number): Promise<number[]> {
  const one = () =>
    spawn({ path: bytesOf("/bin/true"), argv: [bytesOf("true")], env: [], fds: new Map(), place: "new_session" });
  const pids = Array.from({ length: count }, one);
  await until("they have ended", () => pids.every((pid) => processStatus(pid)?.state === "Z"));
  return pids;
}

test("orphans whose signals came as one are reaped when the session closes; the command and its leader are not", async () => {
  const [command = 0, leader = 0, told = 0, untold = 0] = await ended(4);
  const orphans = new Orphans();
  orphans.changed(told, { pid: command, helpers: [leader] });
  expect([told, untold].map(isChild)).toEqual([false, true]);
  orphans.stop();
  expect([untold, command, leader].map(isChild)).toEqual([false, true, true]);
  new Orphans().changed(command, { pid: 0, helpers: [] });
  new Orphans().changed(leader, { pid: 0, helpers: [] });
});

test("once the session is closed nothing is looked for that may be the next one's", async () => {
  const [late = 0, next = 0] = await ended(2);
  const orphans = new Orphans();
  orphans.stop();
  orphans.changed(late, { pid: 0, helpers: [] });
  orphans.stop();
  expect([late, next].map(isChild)).toEqual([false, true]);
  new Orphans().changed(next, { pid: 0, helpers: [] });
});
