/** Sessions by the hundred at once, and by the thousand one after the other: none is missing, and nothing is left of them. */
import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { isFinal, type Session } from "../../src/protocol/types/session.ts";
import { dial, end } from "../daemon/household.ts";
import { HOLT } from "../support/holt.ts";
import { TerminalUser } from "../support/terminal.ts";
import { Detached } from "./detached.ts";
import { isAlive, privateMemory } from "./processes.ts";
import { inParallel, size, until } from "./size.ts";

const AT_ONCE = size(40, 500);
const BURST = 50;
const IN_ALL = size(100, 10_000);

class WithDaemon extends Detached {
  constructor() {
    super({ HOLT_NO_DAEMON: "" });
  }

  /** Of those that live. */
  living(): Session[] {
    return this.started()
      .map((id) => this.session(id))
      .filter(({ state }) => !isFinal(state));
  }
}

const fds = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

/** Open in these processes. Not all that there are: others use terminals, too. */
function terminalsOf(pids: readonly number[]): number {
  const open = pids.flatMap((pid) =>
    readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkIfThere(`/proc/${pid}/fd/${fd}`)),
  );
  return open.filter((target) => /^\/dev\/(ptmx|pts\/)/.test(target)).length;
}

function readlinkIfThere(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ""; // closed meanwhile
  }
}

/** Children that nobody has reaped. */
function zombiesOf(parent: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const [, state, above] = /\) (\S) (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "latin1")) ?? [];
        return state === "Z" && Number(above) === parent;
      } catch {
        return false;
      }
    });
}

/**
 * Found here: five hundred holders that were stopped at once each looked at all processes fifty times a second, until none had the time to
 * answer: "cannot reach the holder".
 */
test(`${AT_ONCE} sessions at once: all run, all can be attached to, all are stopped, and nothing is left`, async () => {
  using bench = new WithDaemon();
  await bench.run(["daemon"]);
  const ids = Array.from({ length: AT_ONCE }, (_, i) => `s${i}`);
  for (let from = 0; from < AT_ONCE; from += BURST) {
    await inParallel(Math.min(BURST, AT_ONCE - from), BURST, async (i) => {
      const script = `echo "I am ${from + i}"; sleep 3600`;
      expect(await bench.start(script, ["--session-id", `s${from + i}`])).toBe(`s${from + i}`);
    });
  }
  expect(bench.living().length).toBe(AT_ONCE);
  const commands = ids.map((id) => bench.meta(id).process?.pid ?? 0);
  expect(commands.filter(isAlive).length).toBe(AT_ONCE);
  for (let i = 0; i < AT_ONCE; i += Math.ceil(AT_ONCE / 20)) {
    using watcher = await bench.watch(`s${i}`);
    await watcher.sees(`I am ${i}`);
  }
  const holders = ids.map((id) => bench.holder(id));
  // On a terminal it says how many are left, where that takes a while.
  await using user = new TerminalUser([HOLT, "daemon", "stop", "--stop-sessions"], { env: bench.env, cwd: bench.root });
  expect({ ...(await user.exit()), said: user.text.split("\r").at(-2) }).toMatchObject({ exitCode: 0, signal: null });
  for (const id of ids) expect(bench.final(id)).toMatchObject({ reason: "daemon_shutdown", output_complete: true });
  expect(commands.filter(isAlive)).toEqual([]);
  await until("their holders, which had finished, are gone", () => !holders.some(isAlive));
  await until("no holder is left", () => bench.holders().length === 0);
  await until("the daemon, which has said so, is gone", () => bench.daemonPid === null);
  expect(readdirSync(join(bench.state, "run")).filter((name) => name.endsWith(".sock"))).toEqual([]);
});

test(`${IN_ALL} sessions through one daemon cost it no descriptor, no child and no memory`, async () => {
  using bench = new WithDaemon();
  await bench.run(["daemon"]);
  const daemon = bench.daemonPid ?? 0;
  using client = await dial(bench);
  const cwd = bench.root;
  let number = 0;
  const some = async (count: number): Promise<void> => {
    await inParallel(count, 8, async () => {
      const pty = number++ % 2 === 0 ? ({ cols: 80, rows: 24 } as const) : false;
      const argv = ["sh", "-c", `echo hello; exit ${number % 7}`];
      const { session_id } = await client.call("session.start", { argv, cwd, pty, retention_seconds: 1 });
      await client.call("session.wait", { session_id, until: "exit" });
    });
    await until("their holders are gone", () => bench.holders().length <= 3, 60_000);
  };
  const quiet = async (): Promise<{ fds: number; kilobytes: number; terminals: number }> => {
    await until("it has all its warm holders", () => bench.holders().length === 3, 60_000);
    await until("all are reaped", () => zombiesOf(daemon).length === 0);
    return { fds: fds(daemon), kilobytes: privateMemory(daemon), terminals: terminalsOf([daemon, ...bench.holders()]) };
  };
  await some(IN_ALL / 10);
  const before = await quiet();
  await some(IN_ALL);
  const after = await quiet();
  expect(after.fds).toBe(before.fds);
  // A holder that waits has no terminal yet.
  expect([before.terminals, after.terminals]).toEqual([0, 0]);
  console.log(`daemon: ${before.kilobytes} KB before, ${after.kilobytes} KB after`);
  expect(after.kilobytes - before.kilobytes).toBeLessThan(20 * 1024);
  expect(existsSync(`/proc/${daemon}`)).toBe(true);
  await end(bench);
});
