/** What `holt start` asks the daemon for: the words, variables and circumstances of the caller, byte for byte. A test's process stands for the daemon. */
import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { isNewSessionId } from "../../src/protocol/types/session-id.ts";
import { size } from "../chaos/size.ts";
import { done, FakeDaemon, paramsIn } from "../support/fake-daemon.ts";
import { Bench, collect, HOLT } from "../support/holt.ts";

function idIn(line: string): string {
  return String(paramsIn(line)["session_id"]);
}

async function inheritedUnder(before: readonly string[]): Promise<unknown> {
  using bench = Bench.withDaemon();
  using daemon = new FakeDaemon(bench, done);
  const command = [...before, HOLT, "start", "--", "true"];
  const { stderr, exitCode } = await collect(command, { stdin: "", env: bench.env, cwd: bench.root });
  expect({ stderr, exitCode, asked: daemon.lines.length }).toEqual({ stderr: "", exitCode: 0, asked: 1 });
  const { circumstances, umask } = paramsIn(daemon.lines[0] ?? "");
  return { circumstances, umask };
}

describe("The request of a start", () => {
  test.each([
    ["another priority", ["nice", "-n", "5"]],
    ["another limit", ["prlimit", "--core=4096:8192"]],
    ["no new privileges", ["setpriv", "--no-new-privs"]],
    ["one processor", ["taskset", "-c", "0"]],
    ["another umask", ["sh", "-c", 'umask 027; exec "$@"', "sh"]],
    [
      "a blocked signal",
      [
        "python3",
        "-c",
        "import os, signal, sys; signal.pthread_sigmask(signal.SIG_BLOCK, [10]); os.execvp(sys.argv[1], sys.argv[1:])",
      ],
    ],
  ])("differs under %s", async (_, before) => {
    expect(await inheritedUnder(before)).not.toEqual(await inheritedUnder([]));
  });

  test("has ids that sort by time, and never the same", async () => {
    using bench = Bench.withDaemon();
    using daemon = new FakeDaemon(bench, done);
    for (let i = 0; i < 3; i++) await bench.run(["start", "true"]);
    const ids = daemon.lines.map(idIn);
    expect(ids.every(isNewSessionId)).toBe(true);
    expect(new Set(ids).size).toBe(3);
    const times = ids.map((id) => id.slice(0, 8));
    expect(times).toEqual(times.toSorted());
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
      { numRuns: size(20, 1000) },
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
