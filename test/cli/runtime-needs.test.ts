/**
 * Where a user could start no more threads, or was allowed little memory, the runtime died in
 * `run`, `start`, `ls` and `kill` with a crash report of 20 lines that called it a bug, and exit
 * code 134. `start`, `ls` and `kill` exited with 1 where `run` exited with 125. What remains is
 * where the runtime dies before any code of holt runs (docs/platforms.md).
 */
import { describe, expect, test } from "bun:test";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { asUser } from "../support/foreign-listener.ts";
import { Bench, collect, HOLT } from "../support/holt.ts";

/**
 * A user without processes: limits do not apply to root, and other users have some already.
 */
const USER = 64_321;
const isRoot = process.getuid?.() === 0;
const NO_PROCESSES = "holt: the system allows no more processes or threads\n";

const COMMANDS = [["run", "--", "true"], ["start", "--", "true"], ["ls"], ["kill", "x"], ["version"]];

async function limited(limit: string, args: readonly string[], bench: Bench) {
  const argv = ["prlimit", limit, HOLT, ...args];
  return collect(isRoot ? asUser(USER, argv) : argv, { stdin: "", env: bench.env, cwd: "/" });
}

describe.each([
  ["--nproc=1", NO_PROCESSES],
  ["--nproc=2", NO_PROCESSES],
  ["--nproc=5", NO_PROCESSES],
  ["--nproc=8", NO_PROCESSES],
  ["--as=2000000000", "holt: the runtime may have too little memory: "],
  ["--data=300000000", "holt: the runtime may have too little memory: "],
  ["--stack=200000", "holt: the stack limit is too low: 200000 bytes, "],
])("prlimit %s", (limit, message) => {
  test.each(COMMANDS)("holt %s says what is missing and exits 125", async (...args) => {
    using bench = new Bench();
    const { text, stderr, exitCode } = await limited(limit, args, bench);
    expect({ text, exitCode }).toEqual({ text: "", exitCode: 125 });
    expect(stderr).toStartWith(message);
    expect(stderr.trimEnd().split("\n")).toHaveLength(2);
  });

  test("and as JSON with --json", async () => {
    using bench = new Bench();
    const { stderr, exitCode } = await limited(limit, ["ls", "--json"], bench);
    expect(exitCode).toBe(125);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: "ERLIMIT" } });
  });
});

/** The holder of a start died without a message. */
test.if(isRoot)("With processes for `holt start` and none for its holder, start says the same.", async () => {
  const root = mkdtempSync("/tmp/h-"); // the tests' own directory is closed to other users
  chownSync(root, USER, USER);
  using _root = { [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) };
  using bench = new Bench({ HOLT_STATE_DIR: join(root, "state"), XDG_CONFIG_HOME: join(root, "config") });
  const { text, stderr, exitCode } = await limited("--nproc=10", ["start", "--", "true"], bench);
  expect({ text, stderr, exitCode }).toMatchObject({ text: "", exitCode: 125 });
  expect(stderr).toStartWith(NO_PROCESSES);
});
