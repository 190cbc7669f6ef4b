/**
 * What `holt start` asks the daemon for without the runtime is what the runtime would have asked for, byte for byte: both are told by the same process, which stands for the daemon.
 */
import { describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { isNewSessionId, timeOfSessionId } from "../../src/protocol/session-id.ts";
import { size } from "../chaos/size.ts";
import { FakeDaemon } from "../support/fake-daemon.ts";
import { Bench, collect, HOLT } from "../support/holt.ts";
import { done, type Given, paramsIn, RUNTIME, startWay } from "./start-ways.ts";

/** The two lines, without what is each one's own. */
async function bothLines(args: readonly string[], given: Given = {}, cwd = ""): Promise<[string, string]> {
  using bench = Bench.withDaemon();
  using daemon = new FakeDaemon(bench, done);
  if (cwd !== "") mkdirSync(join(bench.root, cwd), { recursive: true });
  const here = { ...given, cwd: join(bench.root, cwd) };
  const short = await startWay(bench, args, here);
  const long = await startWay(bench, args, { ...here, env: { ...given.env, ...RUNTIME } });
  expect([short.way, long.way]).toEqual(["starter", "runtime"]);
  const [first = "", second = ""] = daemon.lines;
  expect(daemon.lines.length).toBe(2);
  for (const [line, { text, stderr, exitCode }] of [
    [first, short],
    [second, long],
  ] as const)
    expect({ text, stderr, exitCode }).toEqual({ text: `${idIn(line)}\n`, stderr: "", exitCode: 0 });
  const extra = Buffer.from("HOLT_NO_NATIVE=1").toBase64();
  return [first.replace(idIn(first), "ID"), second.replace(idIn(second), "ID").replace(`,"${extra}"`, "")];
}

function inheritedIn(line: string): unknown {
  const { circumstances, umask } = paramsIn(line);
  return { circumstances, umask };
}

function idIn(line: string): string {
  return String(paramsIn(line)["session_id"]);
}

describe("The request of a start", () => {
  test.each([
    ["a command", ["--", "true"]],
    ["one without --", ["true", "--name", "x", "--", "-y"]],
    ["one with a name", ["--name", "web-1", "--", "true"]],
    ["one with a name behind =", ["--name=Web_1.x", "true"]],
    ["one on pipes", ["--no-pty", "--", "true"]],
    ["one with both", ["--no-pty", "--name", "a", "--", "true"]],
    ["one with both the other way round", ["--name=a", "--no-pty", "true"]],
    ["the longest name", [`--name=${"n".repeat(64)}`, "true"]],
    ["words of every kind", ["--", "printf", "%s", "", "a", "ab", "abc", "abcd", "ä", "\ufffd", '"\\\n\t', "--", "-x"]],
  ])("is the runtime's: %s", async (_, args) => {
    const [short, long] = await bothLines(args);
    expect(short).toBe(long);
  });

  test.each([
    ["another priority", ["nice", "-n", "5"]],
    ["another limit", ["prlimit", "--core=4096:8192"]],
    ["a limit of descriptors that the runtime raises", ["prlimit", "--nofile=512:600"]],
    ["no new privileges", ["setpriv", "--no-new-privs"]],
    ["one processor", ["taskset", "-c", "0"]],
    ["another umask", ["sh", "-c", 'umask 027; exec "$@"', "sh"]],
    ["no umask", ["sh", "-c", 'umask 0; exec "$@"', "sh"]],
    [
      "a blocked signal",
      [
        "python3",
        "-c",
        "import os, signal, sys; signal.pthread_sigmask(signal.SIG_BLOCK, [10]); os.execvp(sys.argv[1], sys.argv[1:])",
      ],
    ],
  ])("is the runtime's under %s", async (_, before) => {
    const [short, long] = await bothLines(["--", "true"], { before });
    expect(short).toBe(long);
    expect(inheritedIn(short)).not.toEqual(inheritedIn((await bothLines(["--", "true"]))[0]));
  });

  test("is the runtime's in a directory with spaces, and with 100 KB of environment", async () => {
    const env = { LARGE: "l".repeat(100_000), EMPTY: "", LINES: 'a\nb"c\\' };
    const [short, long] = await bothLines(["--", "true"], { env }, "a directory/ and 'another'");
    expect(short).toBe(long);
    expect(short).toContain("/a directory/ and 'another'");
  });

  test("is the runtime's at the root of all directories", async () => {
    using bench = Bench.withDaemon();
    using daemon = new FakeDaemon(bench, done);
    for (const env of [{}, RUNTIME] as Record<string, string>[]) await startWay(bench, ["true"], { cwd: "/", env });
    expect(daemon.lines.map((line) => paramsIn(line)["cwd"])).toEqual(["/", "/"]);
  });

  test("has an id of the present moment, which sorts by it, and never the same", async () => {
    using bench = Bench.withDaemon();
    using daemon = new FakeDaemon(bench, done);
    const before = Date.now();
    for (let i = 0; i < 5; i++) await bench.run(["start", "true"]);
    const ids = daemon.lines.map(idIn);
    expect(ids.every(isNewSessionId)).toBe(true);
    expect(new Set(ids).size).toBe(5);
    const times = ids.map(timeOfSessionId);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times[0]).toBeGreaterThanOrEqual(before);
    expect(times.at(-1)).toBeLessThanOrEqual(Date.now());
  });

  test("has the bytes of every word and every variable", async () => {
    using bench = Bench.withDaemon();
    using daemon = new FakeDaemon(bench, done);
    const bytes = (most: number): fc.Arbitrary<Uint8Array> => fc.uint8Array({ min: 1, maxLength: most });
    const words = fc.array(bytes(40), { maxLength: 8 });
    const values = fc.array(bytes(200), { maxLength: 8 });
    const own = Object.entries(bench.env).map(([key, value]) => Buffer.from(`${key}=${value}`));
    await fc.assert(
      fc.asyncProperty(words, values, async (extra, more) => {
        const argv = [Buffer.from("true"), ...extra];
        const env = [...own, ...more.map((value, i) => Buffer.concat([Buffer.from(`V${i}=`), value]))];
        const { exitCode } = await executed([...FRONT, ...argv], env, bench);
        expect(exitCode).toBe(0);
        const { argv_base64, env_base64 } = paramsIn(daemon.lines.pop() ?? "");
        expect(argv_base64).toEqual(argv.map((word) => word.toBase64()));
        expect(env_base64).toEqual(env.map((entry) => entry.toBase64()));
      }),
      { numRuns: size(40, 1000) },
    );
  }, 60_000);
});

const FRONT = [HOLT, "start", "--"].map((word) => Buffer.from(word));

/** python3 takes the bytes as they are, and gives back the action of SIGPIPE that it took. */
const EXECUTE = `
import base64, json, os, signal, sys
argv, env = ([base64.b64decode(text) for text in texts] for texts in json.load(sys.stdin))
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
os.execve(argv[0], argv, dict(entry.split(b"=", 1) for entry in env))`;

async function executed(argv: Uint8Array[], env: Uint8Array[], bench: Bench): ReturnType<typeof collect> {
  const stdin = JSON.stringify([argv, env].map((list) => list.map((bytes) => bytes.toBase64())));
  return collect(["python3", "-c", EXECUTE], { stdin, env: bench.env, cwd: bench.root });
}
