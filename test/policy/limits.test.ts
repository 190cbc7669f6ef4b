/**
 * Limits on the lifetime and number of a caller's commands, including restarted, lingering and
 * inherited ones.
 */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { isSame } from "../../src/platform/process/processes.ts";
import { until } from "../chaos/size.ts";
import { failure } from "../client/failure.ts";
import { configure } from "../config/configure.ts";
import { dial, end, withDaemon } from "../daemon/household.ts";
import { Bench } from "../support/holt.ts";

const FULL = { code: "ERLIMIT", details: { rule: "policy.max_sessions" } };
const YES_OR_NO = [() => true, () => false] as const;
const AGAIN = { when: "always", delay_ms: 10 } as const;

describe("policy.max_sessions", () => {
  // With max_sessions = 1 four restarting commands ran: each was counted only until its first
  // attempt ended.
  test("counts a restarting command until it ends for good", async () => {
    await withDaemon(async (client, bench) => {
      configure(bench, "policy.max_sessions = 1");
      const { session_id } = await client.call("session.start", { argv: ["true"], pty: false, restart: AGAIN });
      await until("it was started again", () => bench.started().length > 2);
      expect(await failure(client.call("exec.run", { args: ["true"] }))).toMatchObject(FULL);
      await client.call("session.stop", { session_id });
      // The holder reports the end before it exits: the slot is free once it has gone.
      while (!(await client.call("exec.run", { args: ["true"] }).then(...YES_OR_NO))) await Bun.sleep(10);
    });
  });

  // The count restarted with each daemon, and a caller may end the daemon.
  test("counts what an earlier daemon started", async () => {
    using bench = Bench.withDaemon();
    try {
      configure(bench, "policy.max_sessions = 1");
      await bench.run(["daemon"]);
      {
        using client = await dial(bench);
        await client.call("session.start", { argv: ["sleep", "60"], session_id: "a" });
        await client.call("daemon.shutdown", {});
      }
      await until("it has ended", () => bench.daemonPid === null);
      await bench.run(["daemon"]);
      using client = await dial(bench);
      expect(await failure(client.call("exec.run", { args: ["true"] }))).toMatchObject(FULL);
      await client.call("session.kill", { session_id: "a" });
      // The main thread of a holder may end before its other threads: until then it counts as alive.
      await until("its holder has gone", () => !isSame(bench.meta("a").holder));
      await client.call("exec.run", { args: ["true"] });
    } finally {
      await end(bench);
    }
  });
});

describe("policy.max_timeout_ms", () => {
  // With max_timeout_ms = 1000 a command's processes with `linger` ran on for good.
  test("leaves no process running", async () => {
    await withDaemon(async (client, bench) => {
      configure(bench, "policy.max_timeout_ms = 60000");
      const { session_id, linger } = await client.call("session.start", {
        command: "setsid sleep 3600 >/dev/null 2>&1 & echo $!",
        pty: false,
        linger: true,
      });
      expect(linger).toBe(false);
      await client.call("session.wait", { session_id, until: ["exit"] });
      const left = Number(bench.output(session_id).toString());
      expect(left).toBeGreaterThan(0);
      await until("it has ended", () => !isThere(left));
    });
  });

  // Each attempt had the whole time again.
  test("covers all attempts together", async () => {
    await withDaemon(async (client, bench) => {
      configure(bench, "policy.max_timeout_ms = 1500");
      await client.call("session.start", { argv: ["sleep", "0.2"], pty: false, restart: AGAIN });
      await until("it was started again", () => bench.started().length > 1);
      let last: string | undefined;
      await until("its life is over", () => {
        last = bench.started().find((id) => bench.events(id).some(({ type }) => type === "life_over"));
        return last !== undefined;
      });
      await client.call("session.wait", { session_id: last ?? "", until: ["exit"] });
      expect(isFollowed(bench, last ?? "")).toBe(false);
    });
  });
});

function isFollowed(bench: Bench, id: string): boolean {
  return bench.started().some((other) => bench.meta(other).previous_session_id === id);
}

function isThere(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}
