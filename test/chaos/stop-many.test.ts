/**
 * With a thousand living sessions `holt daemon stop --stop-sessions` gave up after 78 s: "cannot reach the holder of session s111". One holder that answers
 * late, or not at all, has to keep no other session from its end, and the sessions that are left have to be named.
 */
import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Frozen } from "../support/frozen.ts";
import { HOLT, type Result } from "../support/holt.ts";
import { TerminalUser } from "../support/terminal.ts";
import { Detached } from "./detached.ts";
import { isAlive } from "./processes.ts";
import { inParallel, size, until } from "./size.ts";

const SESSIONS = size(20, 1000);
const AT_ONCE = 4;
const WITHIN_MS = 30_000;
const UNREACHABLE = "s7";
const ids = Array.from({ length: SESSIONS }, (_, i) => `s${i}`);
const others = ids.filter((id) => id !== UNREACHABLE);

async function started(withDaemon: boolean): Promise<Detached> {
  const bench = new Detached(withDaemon ? { HOLT_NO_DAEMON: "" } : {});
  if (withDaemon) await bench.run(["daemon"]);
  await inParallel(SESSIONS, AT_ONCE, async (i) => {
    const { stderr, exitCode } = await bench.run(["start", "--session-id", `s${i}`, "--", "sleep", "3600"]);
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  });
  return bench;
}

async function expectNothingLeft(bench: Detached): Promise<void> {
  expect(ids.filter((id) => isAlive(bench.meta(id).process?.pid ?? 0))).toEqual([]);
  await until("no holder is left", () => bench.holders().length === 0);
  await until("no daemon is left", () => bench.daemonPid === null);
  expect(readdirSync(join(bench.state, "run")).filter((name) => name.endsWith(".sock"))).toEqual([]);
}

test(`${SESSIONS} sessions are stopped with the daemon`, async () => {
  using bench = await started(true);
  const began = performance.now();
  expect(await bench.run(["daemon", "stop", "--stop-sessions"])).toMatchObject({ stderr: "", exitCode: 0 });
  expect(performance.now() - began).toBeLessThan(WITHIN_MS);
  await expectNothingLeft(bench);
});

const ways: [verb: string, withDaemon: boolean, argv: string[]][] = [
  ["daemon stop --stop-sessions", true, ["daemon", "stop", "--stop-sessions"]],
  ["stop", false, ["stop", ...ids]],
];

test.each(ways)("holt %s ends all others of an unreachable one, and names that", async (_, withDaemon, argv) => {
  using bench = await started(withDaemon);
  let told: Result;
  {
    await using _frozen = await Frozen.freeze([bench.meta(UNREACHABLE).holder.pid]);
    told = await bench.run(argv);
    expect(bench.ids.filter((id) => isAlive(bench.meta(id).process?.pid ?? 0))).toEqual([UNREACHABLE]);
  }
  expect(told.exitCode).toBe(1);
  expect(told.stderr.match(/^holt: /gm)?.length).toBe(1);
  expect(told.stderr).toContain(`cannot reach the holder of session ${UNREACHABLE}`);
  for (const id of others) expect(told.stderr).not.toMatch(new RegExp(`\\b${id}\\b`));
  await bench.run(["daemon", "stop", "--stop-sessions"]);
  await expectNothingLeft(bench);
});

test("on a terminal holt stop says how many are left, where that takes more than a second", async () => {
  using bench = new Detached();
  await bench.start("trap '' TERM; echo deaf; while :; do sleep 1; done", ["--session-id", "deaf"]);
  await until("it is deaf", () => bench.output("deaf").includes("deaf"));
  await using user = new TerminalUser([HOLT, "stop", "--grace", "3s", "deaf"], { env: bench.env, cwd: bench.root });
  expect(await user.exit()).toMatchObject({ exitCode: 0 });
  expect(user.text).toContain("1 session not yet stopped");
});
