/** Starts from where nobody expects them: closed descriptors, tight limits, holt in holt, and a leader that somebody kills. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { Bench, HOLT } from "../support/holt.ts";
import { TerminalUser } from "../support/terminal.ts";
import { expectCovers } from "./transcript-check.ts";

describe("started", () => {
  // The runtime opens /dev/null where stdout or stderr is closed: a command once wrote there without an error.
  test.each([
    ["without a stdin", "<&-"],
    ["without a stdout", ">&-"],
    ["without a stderr", "2>&-"],
    ["without any", "<&- >&- 2>&-"],
  ])("%s, no file takes the place of the missing one, for holt or the command", async (_, redirection) => {
    using bench = new Bench();
    const command = "sh -c 'echo out; sleep 0.05; echo err >&2; exit 7'";
    const bare = await bench.shell(`${command} ${redirection}`);
    const held = await bench.shell(`"$HOLT" run --session-id x -- ${command} ${redirection}; echo "code $?" > code`);
    expect([held.text, held.stderr]).toEqual([bare.text, bare.stderr]);
    expect(readFileSync(`${bench.root}/code`, "utf8")).toBe("code 7\n");
    expectCovers(bench, "x", Buffer.from(bare.text + bare.stderr));
  });

  test("with a limit on file sizes, captures up to it and runs on", async () => {
    using bench = new Bench();
    const result = await bench.shell(
      `ulimit -f 100; "$HOLT" run --session-id x -- sh -c 'head -c 300000 /dev/zero; exit 7' | wc -c; echo "\${PIPESTATUS[0]}"`,
    );
    expect(result).toMatchObject({ text: "300000\n7\n", stderr: "" });
    const { gaps } = expectCovers(bench, "x", Buffer.alloc(300_000));
    expect(gaps).toEqual([{ from: 102_400, to: 300_000 }]);
    expect(bench.events("x")).toContainEqual(expect.objectContaining({ type: "gap", from: 102_400, cause: "EFBIG" }));
  });

  /** Found here: out of descriptors in the very moment of the start, holt blamed the command (126). */
  test("with too few descriptors, says so and does not start the command, or does", async () => {
    using bench = new Bench();
    for (let descriptors = 6; descriptors <= 40; descriptors++) {
      const line = `ulimit -n ${descriptors}; exec "$HOLT" run -- sh -c 'echo started; exit 7'`;
      const { text, stderr, exitCode } = await bench.shell(line);
      if (exitCode === 7) expect({ descriptors, text, stderr }).toEqual({ descriptors, text: "started\n", stderr: "" });
      else expect({ descriptors, text, said: stderr.length > 0 }).toEqual({ descriptors, text: "", said: true });
      // With fewer it is the runtime that speaks.
      if (exitCode !== 7 && descriptors >= 8)
        expect({ descriptors, exitCode, stderr }).toMatchObject({
          exitCode: 125,
          stderr: expect.stringMatching(/^holt: /),
        });
      if (descriptors >= 36) expect(exitCode).toBe(7);
    }
  });

  /** The runtime's own refusal, before any code of holt: docs/exit-codes.md and `holt help exit-codes` promise this much. */
  test("in a directory that was deleted, exits 1 and starts no command", async () => {
    using bench = new Bench();
    const { text, stderr } = await bench.shell(
      'mkdir d; cd d; rmdir ../d; "$HOLT" run -- echo started; echo "code $?"',
    );
    expect(text).toBe("code 1\n");
    expect(stderr).toContain("working directory was deleted");
  });

  test("inside another holt, both are sessions of their own", async () => {
    using bench = new Bench();
    const inner = [HOLT, "run", "--session-id", "inner", "--", "sh", "-c", 'echo "$HOLT_SESSION_ID"; exit 7'];
    const result = await bench.run(["run", "--session-id", "outer", "--", ...inner]);
    expect(result).toMatchObject({ text: "inner\n", stderr: "", exitCode: 7 });
    for (const id of ["inner", "outer"]) expectCovers(bench, id, Buffer.from("inner\n"));
  });
});

describe("when somebody kills the leader of the terminal", () => {
  test.each([
    ["the command is hung up on", "echo ready; exec sleep 10", { signal: "SIGHUP", exitCode: null }],
    [
      "one that ignores that ends as it does",
      "trap '' HUP; echo ready; sleep 0.5; exit 7",
      { signal: null, exitCode: 7 },
    ],
  ])("%s", async (_, script, end) => {
    using bench = new Bench();
    const argv = [HOLT, "run", "--session-id", "x", "--", "sh", "-c", script];
    await using user = new TerminalUser(argv, { env: bench.env, cwd: bench.root });
    await user.sees("ready");
    const { holder, process: command } = bench.meta("x");
    const children = readFileSync(`/proc/${holder.pid}/task/${holder.pid}/children`, "latin1").trim().split(" ");
    const leader = children.find((pid) => readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("leader"));
    expect(leader).toBeDefined();
    expect(Number(leader)).not.toBe(command?.pid ?? 0);
    process.kill(Number(leader), "SIGKILL");
    expect(await user.exit()).toEqual(end);
    expect(bench.final("x")).toMatchObject({ signal: end.signal, exit_code: end.exitCode });
  });
});
