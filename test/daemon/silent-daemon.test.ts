/**
 * A stopped daemon (SIGSTOP, a debugger, a frozen cgroup) still accepts connections, and as much of
 * a request as fits into a socket's buffer. `holt start` used to wait for ever behind an
 * environment larger than that, and `holt daemon status`, `stop` and `restart` behind any.
 */
import { describe, expect, test } from "bun:test";
import { existsSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { DaemonClient } from "../../src/client/daemon/daemon-client.ts";
import { layoutAt } from "../../src/transcript/layout.ts";
import { failure } from "../client/failure.ts";
import { isAlive } from "../chaos/processes.ts";
import { until } from "../chaos/size.ts";
import { FakeDaemon } from "../support/fake-daemon.ts";
import { Bench } from "../support/holt.ts";
import { end } from "./household.ts";

describe("A daemon that does not answer", () => {
  test("holds up neither a start, however large its environment, nor what runs once", async () => {
    using bench = Bench.withDaemon();
    const pid = await stopped(bench);
    const runs = join(bench.root, "runs");
    const env = { LARGE_1: "x".repeat(120_000), LARGE_2: "y".repeat(120_000) };
    const args = ["start", "--no-pty", "--", "sh", "-c", `echo "\${#LARGE_2}" >> "${runs}"`];
    const started = await bench.run(args, { env });
    expect(started.exitCode).toBe(0);
    expect(started.stderr.replaceAll(/\s+/g, " ")).toBe(
      `holt: the daemon, pid ${pid}, is stopped: the session was started without it \`kill -CONT ${pid}\` continues it, \`holt daemon restart\` replaces it; sessions keep running `,
    );
    await until("it ran", () => existsSync(runs));
    // Now it reads the requests that arrived meanwhile, and continues.
    process.kill(pid, "SIGCONT");
    expect(await bench.run(["daemon", "status"])).toMatchObject({ exitCode: 0 });
    await end(bench);
    expect(await Bun.file(runs).text()).toBe("120000\n");
  }, 60_000);

  /** Each start used to wait for ten seconds, and then did not say why. */
  test("is not waited for where it does nothing, which is told", async () => {
    using bench = Bench.withDaemon();
    using _silent = new FakeDaemon(bench);
    const { text, stderr, exitCode } = await bench.run(["start", "--no-pty", "--session-id", "x", "--", "true"]);
    expect({ text, exitCode }).toEqual({ text: "x\n", exitCode: 0 });
    expect(stderr).toBe(`holt: the daemon, pid ${process.pid}, does not answer: the session was started without it
      \`holt daemon restart\` replaces it; sessions keep running\n`);
    expect(await bench.run(["wait", "x"])).toMatchObject({ exitCode: 0 });
    await until("its holder is gone", () => bench.holders().length === 0);
  }, 60_000);

  test("is waited for while it works", async () => {
    using bench = Bench.withDaemon();
    using busy = new FakeDaemon(bench);
    const starting = bench.run(["start", "--no-pty", "--session-id", "x", "--", "true"]);
    await busy.asked;
    // For longer than an idle one would get.
    for (const over = performance.now() + 3000; performance.now() < over; await Bun.sleep(0)) Bun.hash(LARGE);
    busy.answer({ session_id: "x", holt_version: "9.9.9", process: null });
    expect(await starting).toMatchObject({ text: "x\n", stderr: "", exitCode: 0 });
    expect(bench.started()).toEqual([]); // no other process started one
  }, 60_000);

  test("is told by status, and by a client's deadline", async () => {
    using bench = Bench.withDaemon();
    const pid = await stopped(bench);
    const plain = await bench.run(["daemon", "status"]);
    expect(plain).toMatchObject({ stderr: "", exitCode: 4 });
    expect(plain.text).toBe(`the daemon, pid ${pid}, does not answer; \`holt daemon restart\` replaces it\n`);
    using client = await DaemonClient.dial(layoutAt(bench.state));
    expect(await failure(client?.call("session.list", {}, { answerMs: 50 }) ?? Promise.resolve())).toMatchObject({
      code: "ETIMEOUT",
    });
    await end(bench);
  }, 60_000);

  test("is replaced by restart when its socket was removed", async () => {
    using bench = Bench.withDaemon();
    await bench.run(["daemon"]);
    const pid = bench.daemonPid ?? 0;
    unlinkSync(join(bench.state, "run", "daemon.sock"));
    expect(await bench.run(["daemon", "restart"])).toMatchObject({ text: "", stderr: "", exitCode: 0 });
    expect(isAlive(pid)).toBe(false);
    expect(await bench.run(["daemon", "status"])).toMatchObject({ exitCode: 0 });
    await end(bench);
  });

  test.each(["stop", "restart"])(
    "is killed by %s, and sessions live on",
    async (action) => {
      using bench = Bench.withDaemon();
      await bench.run(["daemon"]);
      expect(await bench.run(["start", "--session-id", "x", "--", "sleep", "60"])).toMatchObject({ exitCode: 0 });
      const pid = await stopped(bench);
      expect(await bench.run(["daemon", action])).toMatchObject({ text: "", stderr: "", exitCode: 0 });
      expect(isAlive(pid)).toBe(false);
      expect((await bench.run(["daemon", "status"])).exitCode).toBe(action === "stop" ? 3 : 0);
      expect(isAlive(bench.meta("x").process?.pid ?? 0)).toBe(true);
      await bench.run(["kill", "x"]);
      await end(bench);
    },
    60_000,
  );
});

async function stopped(bench: Bench): Promise<number> {
  await bench.run(["daemon"]);
  const pid = bench.daemonPid ?? 0;
  process.kill(pid, "SIGSTOP");
  return pid;
}

const LARGE = new Uint8Array(50_000_000);
