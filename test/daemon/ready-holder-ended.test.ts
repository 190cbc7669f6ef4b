/**
 * Found by a test that failed once in a hundred times: a SIGTERM to a warm holder waited for the loop, and with it for the session that came next. It
 * did not end the holder.
 */
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isAlive } from "../chaos/processes.ts";
import { size, until } from "../chaos/size.ts";
import type { Bench } from "../support/holt.ts";
import { warmHolders, withDaemon } from "./household.ts";

const ROUNDS = size(30, 400);
/** From the fork to the read that it waits in, and a little more. */
const READY_MS = 60;

test("one SIGTERM ends a holder that has no session, whenever it comes, and no session that comes later", async () => {
  await withDaemon(async (client, bench) => {
    const told = new Set<number>();
    for (let round = 0; round < ROUNDS; round++) {
      await client.call("shell.run", { argv: ["true"] });
      let fresh: number | undefined;
      await until("another holder is made ready", () => {
        fresh = readyHolders(bench).find((pid) => !told.has(pid));
        return fresh !== undefined;
      });
      const pid = fresh ?? 0;
      told.add(pid);
      await Bun.sleep((round / ROUNDS) * READY_MS); // each moment of it in turn
      process.kill(pid, "SIGTERM");
      await until("it is gone", () => !isAlive(pid));
    }
    await until("all are reaped", () => ![...told].some(isThere));
    const { session_id } = await client.call("session.start", { argv: ["cat"], pty: false });
    await client.call("session.send", { session_id, text: "still here\n", eof: true });
    await client.call("session.wait", { session_id, until: "exit" });
    expect(await client.call("session.get", { session_id })).toMatchObject({ state: "exited", exit_code: 0 });
  });
});

/** Found by the test above: a request that a dead holder could not read any more was answered "the holder ended without a word". */
test("a command that is given to a holder which has just been killed runs once, on another", async () => {
  await withDaemon(async (client, bench) => {
    const ran = join(bench.root, "ran");
    for (let round = 1; round <= ROUNDS; round++) {
      await until("there are ready holders", () => readyHolders(bench).length > 1);
      for (const pid of readyHolders(bench)) process.kill(pid, "SIGKILL");
      const run = await client.call("shell.run", { argv: ["sh", "-c", `echo ${round} >> ${ran}`] });
      expect(run).toMatchObject({ rc: 0 });
      expect(readFileSync(ran, "utf8").trim().split("\n")).toHaveLength(round);
    }
  });
});

function isThere(pid: number): boolean {
  return existsSync(`/proc/${pid}`);
}

/** What a holder is about to start is for a moment a copy of it, and gone before anybody could kill it: only the daemon's own are meant. */
function readyHolders(bench: Bench): number[] {
  return warmHolders(bench).filter((pid) => parentOf(pid) === bench.daemonPid);
}

function parentOf(pid: number): number | null {
  try {
    return Number(/^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  } catch {
    return null; // it is gone
  }
}
