import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Bench, type Result } from "../support/holt.ts";

const alive = (pid: number): boolean => {
  try {
    return readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]?.[0] !== "Z";
  } catch {
    return false;
  }
};

describe("what a command leaves behind", () => {
  test("a background process that holds the pipes does not hold up holt, and runs on", async () => {
    using bench = new Bench();
    const result = await bench.run(["run", "--", "sh", "-c", "sleep 60 & echo $!"]);
    const pid = Number(result.text);
    try {
      expect(alive(pid)).toBe(true);
      expect(bench.final()).toMatchObject({ state: "exited", exit_code: 0, output_complete: false });
    } finally {
      process.kill(pid, "SIGKILL");
    }
  });

  test("one that let go of the pipes leaves the output complete", async () => {
    using bench = new Bench();
    const result = await bench.run(["run", "--", "sh", "-c", "sleep 60 >/dev/null 2>&1 & echo $!"]);
    process.kill(Number(result.text), "SIGKILL");
    expect(bench.final().output_complete).toBe(true);
  });
});

/**
 * On a busy machine half a second may be over before the script has written down whom to look for, and the test failed with nothing wrong: it is
 * given more time then.
 */
async function timedOut(bench: Bench, script: string): Promise<{ id: string; result: Result; pid: number }> {
  const pids = join(bench.root, "pids");
  for (let ms = 500; ; ms *= 2) {
    const id = `after-${ms}`;
    const result = await bench.run(["run", "--session-id", id, "--timeout", `${ms}ms`, "--", "sh", "-c", script]);
    const pid = existsSync(pids) ? Number(readFileSync(pids, "utf8")) : 0;
    if (pid > 0 || ms > 10_000) return { id, result, pid };
  }
}

describe("a timeout ends the whole tree", () => {
  test.each([
    ["a child", "sleep 60 & echo $! > pids; wait"],
    ["one that left the session (setsid)", "setsid sh -c 'echo $$ > pids; sleep 60' & while :; do sleep 1; done"],
    ["one that forked twice", "(setsid sh -c 'echo $$ > pids; exec sleep 60' &) ; while :; do sleep 1; done"],
    [
      "one that ignores SIGHUP (nohup)",
      "nohup sh -c 'echo $$ > pids; sleep 60' >/dev/null 2>&1 & while :; do sleep 1; done",
    ],
  ])("%s", async (_, script) => {
    using bench = new Bench();
    const { id, result, pid } = await timedOut(bench, script);
    expect(result.signal).toBe("SIGTERM");
    expect(bench.final(id)).toMatchObject({ state: "signaled", signal: "SIGTERM", reason: "timeout" });
    expect([pid > 0, alive(pid)]).toEqual([true, false]);
  });

  test("one that ignores SIGTERM is killed after the grace, though the command ended long before", async () => {
    // The holder used to end with the command, so that nobody was left to carry out the second half of the stop.
    using bench = new Bench();
    const script = `sh -c 'trap "" TERM; echo $$ > pids; while :; do sleep 1; done' & wait`;
    const { id, pid } = await timedOut(bench, script);
    expect(bench.final(id)).toMatchObject({ state: "signaled", reason: "timeout" });
    expect([pid > 0, alive(pid)]).toEqual([true, false]);
  });

  test("but not what ran before the session", async () => {
    using bench = new Bench();
    const result = await bench.shell(
      `sleep 60 > /dev/null 2>&1 & echo $!; exec "$HOLT" run --timeout 300ms -- sleep 30`,
    );
    const before = Number(result.text);
    expect(alive(before)).toBe(true);
    process.kill(before, "SIGKILL");
  });

  test("output and input put off the idle timeout; silence brings it", async () => {
    using bench = new Bench();
    const result = await bench.run([
      "run",
      "--idle-timeout",
      "600ms",
      "--",
      "sh",
      "-c",
      "for i in 1 2 3 4; do echo $i; sleep 0.3; done; sleep 60",
    ]);
    expect(result.text).toBe("1\n2\n3\n4\n");
    expect(bench.final()).toMatchObject({ state: "signaled", reason: "idle_timeout" });
  });

  test("exit evidence counts time and memory", async () => {
    using bench = new Bench();
    await bench.run(["run", "--", "sh", "-c", "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done"]);
    const { usage, duration_ms } = bench.final();
    expect(usage?.cpu_ms).toBeGreaterThan(0);
    expect(usage?.max_rss_kb).toBeGreaterThan(0);
    expect(duration_ms).toBeGreaterThanOrEqual((usage?.cpu_user_ms ?? 0) - 20);
  });
});
