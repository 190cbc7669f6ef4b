/**
 * A start is looked at by the command line, and through the daemon by its schema too. The bounds were written down twice: what the one let through the
 * other refused, and with HOLT_NO_DAEMON=1 a start was another than without.
 */
import { describe, expect, test } from "bun:test";
import { failure } from "../client/failure.ts";
import { Bench } from "../support/holt.ts";
import { dial, end, withDaemon } from "./household.ts";

const REFUSED = [
  [["--timeout", "400d"], 'invalid --timeout: "400d"', "use at most 365d"],
  [["--idle-timeout", "366d"], 'invalid --idle-timeout: "366d"', "use at most 365d"],
  [["--timeout", "0s"], 'invalid --timeout: "0s"', "use a positive duration"],
  [["--restart", "always", "--restart-delay", "25d"], 'invalid --restart-delay: "25d"', "use at most 24d"],
  [["--size", "4096x4096"], 'invalid size: "4096x4096"', "up to 4096 each and 1000000 cells"],
] as const;

const TAKEN = [
  ["--timeout", "365d"],
  ["--timeout", "30d", "--idle-timeout", "30d"],
  ["--restart", "always", "--restart-delay", "24d"],
  ["--size", "1000x1000"],
];

describe.each([
  ["with a daemon", ""],
  ["without", "1"],
])("holt start, %s", (_, HOLT_NO_DAEMON) => {
  test("refuses the same", async () => {
    using bench = new Bench({ HOLT_NO_DAEMON });
    for (const [args, message, hint] of REFUSED) {
      const { stderr, exitCode } = await bench.run(["start", ...args, "--", "true"]);
      expect(exitCode).toBe(2);
      expect(stderr).toContain(message);
      expect(stderr).toContain(hint);
    }
    expect(bench.started()).toEqual([]);
  });

  test("and takes the same", async () => {
    using bench = new Bench({ HOLT_NO_DAEMON });
    if (HOLT_NO_DAEMON === "") await bench.run(["daemon"]);
    for (const args of TAKEN)
      expect(await bench.run(["start", ...args, "--", "sleep", "60"])).toMatchObject({ stderr: "", exitCode: 0 });
    await bench.run(["kill", ...bench.started()]);
    if (HOLT_NO_DAEMON === "") await end(bench);
  });
});

test("the table's bounds are those of the command line", async () => {
  await withDaemon(async (_client, bench) => {
    using client = await dial(bench);
    const refused = async (params: object): Promise<unknown> =>
      failure(client.call("session.start", { argv: ["true"], ...params }));
    expect(await refused({ timeout_ms: 400 * 86_400_000 })).toMatchObject({
      message: "session.start: timeout_ms: got 34560000000, expected a whole number from 1 to 31536000000",
    });
    expect(await refused({ pty: { rows: 4096, cols: 4096 } })).toMatchObject({
      message: 'session.start: pty: got {"rows":4096,"cols":4096}, expected at most 1000000 cells',
    });
    expect(await refused({ restart: { when: "always", delay_ms: 25 * 86_400_000 } })).toMatchObject({
      message: "session.start: restart.delay_ms: got 2160000000, expected a whole number from 0 to 2073600000",
    });
  });
});

test("a wait and a grace name their bounds, too", async () => {
  using bench = new Bench();
  await bench.run(["start", "--session-id", "x", "--", "true"]);
  expect(await bench.run(["wait", "x", "--timeout", "25d"])).toMatchObject({
    exitCode: 2,
    stderr: 'holt: invalid --timeout: "25d"\n      use at most 24d\n',
  });
  expect(await bench.run(["stop", "x", "--grace", "11m"])).toMatchObject({
    exitCode: 2,
    stderr: 'holt: invalid --grace: "11m"\n      use at most 10m\n',
  });
});
