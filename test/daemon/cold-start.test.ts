/**
 * A daemon that cannot start a holder (its executable was replaced by an upgrade, it has no descriptor or process left), or whose holder or
 * itself is killed in the middle, used to fail `holt start` with 125, where a start without the daemon works.
 */
import { describe, expect, test } from "bun:test";
import { copyFileSync, existsSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { send } from "../../src/platform/process/signals.ts";
import { failure } from "../client/failure.ts";
import { isAlive } from "../chaos/processes.ts";
import { until } from "../chaos/size.ts";
import { Frozen } from "../support/frozen.ts";
import { Bench, collect, HOLT } from "../support/holt.ts";
import { dial, end, readyHolders, warmHolders } from "./household.ts";

describe("A start that the daemon cannot do", () => {
  test("works without it when the daemon's executable is gone", async () => {
    using bench = Bench.withDaemon();
    const own = join(bench.root, "holt-of-the-daemon");
    copyFileSync(HOLT, own);
    await collect([own, "daemon"], { stdin: "", env: bench.env, cwd: bench.root });
    await until("three wait", () => warmHolders(bench).length === 3);
    unlinkSync(own);
    using client = await dial(bench);
    // One of the three may have been there for something else, and the last have come just before the executable went.
    await until("none waits any more", async () => {
      for (const pid of warmHolders(bench)) send(pid, 9);
      return (await client.call("health.info", {})).warm === 0;
    });
    expect(await failure(client.call("session.start", { argv: ["true"], session_id: "a" }))).toMatchObject({
      code: "EBUSY",
      details: { cold: true },
    });
    // Nobody waits for a session that never was.
    expect(await failure(client.call("session.wait", { session_id: "a" }))).toMatchObject({ code: "ENOTFOUND" });
    expect(await bench.run(["start", "--session-id", "x", "--", "sleep", "60"])).toMatchObject({
      text: "x\n",
      stderr: "",
      exitCode: 0,
    });
    await bench.run(["kill", "x"]);
    await end(bench);
  });

  test("is done once when its holder is killed before it answers", async () => {
    using bench = Bench.withDaemon();
    const { starting, asked, frozen } = await startAtFrozenHolder(bench);
    await using _frozen = frozen;
    for (const pid of asked) process.kill(pid, "SIGKILL");
    expect(await starting).toMatchObject({ exitCode: 0 });
    await until("it ran", () => existsSync(runsOf(bench)));
    await end(bench);
    expect(await Bun.file(runsOf(bench)).text()).toBe("x\n");
  });

  test("is done once when the daemon is killed after its holder did it", async () => {
    using bench = Bench.withDaemon();
    const { starting, frozen } = await startAtFrozenHolder(bench);
    const daemon = bench.daemonPid ?? 0;
    process.kill(daemon, "SIGSTOP");
    await frozen.thaw();
    await until("it ran", () => existsSync(runsOf(bench)));
    process.kill(daemon, "SIGKILL");
    await until("the daemon is gone", () => !isAlive(daemon));
    expect(await starting).toMatchObject({ text: `${bench.id}\n`, exitCode: 0 });
    await end(bench);
    expect(await Bun.file(runsOf(bench)).text()).toBe("x\n");
  });
});

/** Where that takes long, it is told that the daemon says nothing, and done without it: once, all the same. The request waits in the channel of one of `asked`: the daemon has started another in its place. */
async function startAtFrozenHolder(
  bench: Bench,
): Promise<{ starting: ReturnType<Bench["run"]>; asked: number[]; frozen: Frozen }> {
  await bench.run(["daemon"]);
  const asked = await readyHolders(bench);
  const frozen = await Frozen.freeze(asked);
  const starting = bench.run(["start", "--no-pty", "--", "sh", "-c", `echo x >> "${runsOf(bench)}"`]);
  await until("another comes up", () => warmHolders(bench).length > asked.length);
  return { starting, asked, frozen };
}

function runsOf(bench: Bench): string {
  return join(bench.root, "runs");
}
