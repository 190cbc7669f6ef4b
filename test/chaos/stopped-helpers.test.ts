/**
 * Holt's own processes, stopped (SIGSTOP) by somebody: whoever asks for something else is not to notice, and what was said to have failed is not to run later.
 *
 * Found by one who tried to break it: any command at a terminal can stop its parent, and could then neither be stopped nor killed; starts on holders that had been
 * stopped while they waited took a minute, failed, and ran when these were continued; and one stopped holder cost every `health.info` two seconds.
 */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { dial, readyHolders } from "../daemon/household.ts";
import { Frozen } from "../support/frozen.ts";
import { Bench, HOLT } from "../support/holt.ts";
import { TerminalUser } from "../support/terminal.ts";
import { Detached } from "./detached.ts";
import { isAlive } from "./processes.ts";
import { until } from "./size.ts";

const stateOf = (pid: number): string => readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]?.[0] ?? "";

async function stopped(pid: number): Promise<void> {
  process.kill(pid, "SIGSTOP");
  await until("it is stopped", () => stateOf(pid) === "T");
}

/** Found by somebody who set out to break it: a holder died of what was never meant for it, and took the record of how its command ended along. */
describe("a holder that is sent a signal", () => {
  test.each(["SIGALRM", "SIGVTALRM", "SIGPROF", "SIGXCPU", "SIGIO", "SIGSTKFLT", "SIGHUP", "SIGUSR1"] as const)(
    "%s goes on",
    async (signal) => {
      using bench = new Detached();
      const id = await bench.start("read line; exit 7");
      process.kill(bench.meta(id).holder.pid, constants.signals[signal]);
      await bench.run(["send", id, "--text", "go\n"]);
      expect(await bench.run(["wait", id, "--exit-code"])).toMatchObject({ exitCode: 7 });
    },
  );

  test("a real-time one goes on, and SIGQUIT ends the session as SIGTERM does", async () => {
    using bench = new Detached();
    const id = await bench.start("trap 'exit 8' TERM; while :; do sleep 0.05; done");
    const { pid } = bench.meta(id).holder;
    process.kill(pid, 37);
    process.kill(pid, "SIGQUIT");
    expect(await bench.run(["wait", id, "--exit-code"])).toMatchObject({ exitCode: 8 });
    expect(bench.final(id)).toMatchObject({ state: "exited", exit_code: 8 });
  });

  test("and is stopped: who asks it for something is told that this may happen yet", async () => {
    using bench = new Detached();
    const id = await bench.start("sleep 60");
    const { pid } = bench.meta(id).holder;
    await stopped(pid);
    const { exitCode, stderr } = await bench.run(["rename", id, "other"]);
    process.kill(pid, "SIGCONT");
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining("the rename may") });
    await until("it has happened", () => bench.meta(id).name === "other");
    await bench.run(["kill", id]);
  });
});

describe("a command that stops its parent", () => {
  test("is heard of when it ends", async () => {
    using bench = new Detached();
    const id = await bench.start("kill -STOP $PPID; exit 7");
    expect(await bench.run(["wait", id, "--exit-code"])).toMatchObject({ exitCode: 7 });
  });

  test("is heard of in the foreground, too", async () => {
    using bench = new Detached();
    await using user = new TerminalUser([HOLT, "run", "--", "sh", "-c", "kill -STOP $PPID; exit 7"], {
      env: bench.env,
      cwd: bench.root,
    });
    expect(await user.exit()).toEqual({ exitCode: 7, signal: null });
  });

  test.each([
    ["stop", ["stop", "--grace", "1s"]],
    ["kill", ["kill"]],
  ])("again and again, is ended by holt %s", async (_, words) => {
    using bench = new Detached();
    const id = await bench.start("echo ready; while :; do kill -STOP $PPID; sleep 0.05; done");
    await until("it runs", () => bench.output(id).includes("ready"));
    expect(await bench.run([...words, id])).toMatchObject({ stderr: "", exitCode: 0 });
    await until("its holder has written its last word", () => bench.session(id).state === "signaled");
  });

  test("is ended by its timeout", async () => {
    using bench = new Detached();
    const id = await bench.start("kill -STOP $PPID; exec sleep 600", ["--timeout", "300ms"]);
    await bench.run(["wait", id]);
    expect(bench.session(id)).toMatchObject({ state: "signaled", reason: "timeout" });
  });
});

describe("all that wait for a session", () => {
  test("where they are stopped, start one at once all the same", async () => {
    using bench = Bench.withDaemon();
    await bench.run(["daemon"]);
    const holders = await readyHolders(bench);
    for (const pid of holders) await stopped(pid);
    using client = await dial(bench);
    for (const pty of [false, { cols: 80, rows: 24 }] as const) {
      const made = join(bench.root, `made-${pty === false ? "on-pipes" : "at-a-terminal"}`);
      const { session_id } = await client.call("session.start", { argv: ["touch", made], pty, cwd: bench.root });
      expect(await client.call("session.wait", { session_id })).toMatchObject({ outcome: "exited", exit_code: 0 });
      expect(existsSync(made)).toBe(true);
    }
    // The third goes with the daemon.
    await bench.run(["daemon", "stop"]);
    await until("none is left", () => !holders.some(isAlive));
  });
});

test("holders that are frozen in another way are given up, and never start what another was asked for", async () => {
  using bench = Bench.withDaemon();
  await bench.run(["daemon"]);
  const holders = await readyHolders(bench);
  await using frozen = await Frozen.freeze(holders);
  using client = await dial(bench);
  const runs = join(bench.root, "runs");
  const argv = ["sh", "-c", `echo x >> ${runs}`];
  const { session_id } = await client.call("session.start", { argv, cwd: bench.root });
  expect(await client.call("session.wait", { session_id })).toMatchObject({ outcome: "exited", exit_code: 0 });
  await frozen.thaw();
  await bench.run(["daemon", "stop"]);
  await until("none is left", () => !holders.some(isAlive));
  expect(readFileSync(runs, "latin1")).toBe("x\n");
});

test("a holder that is stopped keeps nobody waiting who asks how all is", async () => {
  using bench = Bench.withDaemon();
  await bench.run(["daemon"]);
  using client = await dial(bench);
  const ids: string[] = [];
  for (let number = 0; number < 2; number++)
    ids.push((await client.call("session.start", { argv: ["sleep", "600"], cwd: bench.root })).session_id);
  const health = () => client.call("health.info", {});
  expect(await health()).toMatchObject({ holders: 2 });
  const silent = bench.meta(ids[0]).holder.pid;
  await stopped(silent);
  // To ask it took two seconds each time: 40 would take longer than a test may.
  for (let look = 0; look < 40; look++) expect(await health()).toMatchObject({ sessions: { running: 2 }, holders: 2 });
  process.kill(silent, "SIGCONT");
  await client.call("daemon.shutdown", { stop_sessions: true });
  await until("none is left", () => bench.holders().length === 0);
});
