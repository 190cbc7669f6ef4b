/** What `holt start` makes of a daemon's answer: a refusal, none, a late one, one of another version, one that is no answer, and an id that cannot be printed. */
import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../chaos/size.ts";
import { end } from "../daemon/household.ts";
import { answerLine, done, FakeDaemon, paramsIn, startedBy } from "../support/fake-daemon.ts";
import { Bench } from "../support/holt.ts";
import { metaOf } from "../support/records.ts";

test("A start that is refused while every session is being stopped is not done without the daemon either", async () => {
  using bench = Bench.withDaemon();
  using _daemon = new FakeDaemon(bench, (socket) => {
    const data = { code: "EBUSY", hint: "wait", details: {} };
    socket.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code: -32000, message: "closing", data } })}\n`);
  });
  expect(await bench.run(["start", "--", "true"])).toMatchObject({ text: "", exitCode: 125 });
  expect(bench.started()).toEqual([]);
});

describe("A daemon that", () => {
  test("hangs up once it was asked: the session is started without it", async () => {
    using bench = Bench.withDaemon();
    const runs = join(bench.root, "runs");
    using daemon = new FakeDaemon(bench, (socket) => void socket.end());
    const { text, exitCode } = await bench.run(["start", "--no-pty", "--", "sh", "-c", `echo x >> ${runs}`]);
    expect(exitCode).toBe(0);
    expect(daemon.lines.map((line) => paramsIn(line)["session_id"])).toEqual([text.trim()]);
    expect(bench.ids).toEqual([text.trim()]);
    await until("all is done", () => bench.holders().length === 0);
    expect(readFileSync(runs, "latin1")).toBe("x\n");
  });

  test("answers with no session: that is said, with 125", async () => {
    // Found by a breaker: `holt start` printed "undefined" and exited 0.
    using bench = Bench.withDaemon();
    using _daemon = new FakeDaemon(bench, (socket) => void socket.write(answerLine({})));
    const { text, stderr, exitCode } = await bench.run(["start", "--", "true"]);
    expect({ text, exitCode }).toEqual({ text: "", exitCode: 125 });
    expect(stderr).toStartWith("holt: the daemon's answer names no session: {}\n");
  });

  test("has done it and hangs up before it said so: the session is printed, and was run once", async () => {
    using bench = Bench.withDaemon();
    const runs = join(bench.root, "runs");
    const command = ["sh", "-c", `echo x >> ${runs}`];
    using _daemon = new FakeDaemon(bench, (socket, line) => {
      const id = String(paramsIn(line)["session_id"]);
      const args = ["start", "--no-pty", "--session-id", id, "--", ...command];
      void bench.run(args, { env: { HOLT_NO_DAEMON: "1" } }).then(() => socket.end());
    });
    const { text, stderr, exitCode } = await bench.run(["start", "--no-pty", "--", ...command]);
    expect({ stderr, exitCode, ids: bench.ids }).toEqual({ stderr: "", exitCode: 0, ids: [text.trim()] });
    await until("all is done", () => bench.holders().length === 0);
    expect(readFileSync(runs, "latin1")).toBe("x\n");
  });

  test("has a holder that was killed as it began it: that is said, and it is not tried again", async () => {
    // The id was printed, with an exit code of 0, of a session whose command had never run.
    using bench = Bench.withDaemon();
    using _daemon = new FakeDaemon(bench, (socket, line) => {
      const id = String(paramsIn(line)["session_id"]);
      const directory = join(bench.state, "sessions", id);
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      for (const [name, text] of Object.entries({
        "append.lock": "",
        "output.bin": "",
        "meta.json": JSON.stringify(metaOf(id, { created_at: new Date().toISOString(), process: null })),
      }))
        writeFileSync(join(directory, name), text, { mode: 0o600 });
      socket.end();
    });
    const { text, stderr, exitCode } = await bench.run(["start", "--no-pty", "--", "true"]);
    expect({ text, exitCode }).toEqual({ text: "", exitCode: 125 });
    expect(stderr).toMatch(/^holt: the holder of session \w+ died during the start:.*\n +`holt show \w+`/);
    expect(bench.ids.length).toBe(1);
  });

  test("is of a later version is believed, and of an earlier one replaced", async () => {
    using bench = Bench.withDaemon();
    {
      using _later = new FakeDaemon(bench, (socket, line) => void socket.write(answerLine(startedBy(line, "9.9.9"))));
      expect(await bench.run(["start", "--", "true"])).toMatchObject({ stderr: "", exitCode: 0 });
    }
    const methods: unknown[] = [];
    using _earlier = new FakeDaemon(bench, (socket, line) => {
      methods.push((JSON.parse(line) as { method: string }).method);
      socket.write(answerLine(startedBy(line, "0.0.1")));
    });
    expect(await bench.run(["start", "--", "true"])).toMatchObject({ stderr: "", exitCode: 0 });
    expect(methods).toEqual(["session.start", "daemon.shutdown"]);
    expect(bench.started()).toEqual([]);
    await end(bench);
  });

  test("answers in pieces is heard to the end", async () => {
    using bench = Bench.withDaemon();
    using _daemon = new FakeDaemon(bench, (socket, line) => {
      const answer = answerLine(startedBy(line));
      socket.write(answer.slice(0, 40));
      setTimeout(() => socket.write(answer.slice(40)), 20);
    });
    expect(await bench.run(["start", "--", "true"])).toMatchObject({ stderr: "", exitCode: 0 });
    expect(bench.started()).toEqual([]);
  });

  test("says what is no answer is not believed", async () => {
    using bench = Bench.withDaemon();
    using _daemon = new FakeDaemon(bench, (socket) => void socket.write("hello\n"));
    expect(await bench.run(["start", "--", "true"])).toMatchObject({ text: "", exitCode: 125 });
  });
});

describe("An id that cannot be printed", () => {
  test.each([
    ["to a full disk", "> /dev/full"],
    // The runtime of the tests ignores SIGXFSZ, and so would what it starts.
    ["to a file that is as long as it may be", ">> full"],
  ])("%s", async (_, where) => {
    using bench = Bench.withDaemon();
    using _daemon = new FakeDaemon(bench, done);
    const limited = where.startsWith(">>") ? "head -c 1024 /dev/zero > full; ulimit -f 1;" : "";
    const script = `${limited} exec python3 -c '${DEFAULT_XFSZ}' "$HOLT" start -- true ${where}`;
    const { stderr, exitCode, signal } = await bench.shell(script);
    expect({ exitCode, signal }).toEqual({ exitCode: 1, signal: null });
    expect(stderr).toContain("cannot write to stdout");
  });

  test("where the other end is full, until it is read", async () => {
    using bench = Bench.withDaemon();
    using _daemon = new FakeDaemon(bench, done);
    const { text } = await bench.shell(FULL_PIPE);
    expect(text).toMatch(/^65536 \w{12}\n$/);
  });
});

const DEFAULT_XFSZ =
  "import os, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_DFL); os.execvp(sys.argv[1], sys.argv[1:])";

/** A pipe that does not block, and that is full: python3 reads it once the start waits for room in it. */
const FULL_PIPE = `exec python3 -c '
import fcntl, os, subprocess
read, write = os.pipe()
os.set_blocking(write, False)
filled = 0
try:
    while True: filled += os.write(write, b"x" * 4096)
except BlockingIOError: pass
child = subprocess.Popen([os.environ["HOLT"], "start", "true"], stdout=write)
os.close(write)
left = filled
while left > 0: left -= len(os.read(read, left))
print(filled, os.read(read, 100).decode(), end="")
child.wait()'`;
