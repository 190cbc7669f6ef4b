/**
 * A start that was asked for without the runtime (docs/adr/0027), and whose answer is not a plain yes: the runtime goes on with the same connection and id, and
 * says and does what it says and does where it has asked itself. Each is done both ways here.
 */
import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DaemonClient } from "../../src/client/daemon-client.ts";
import { layoutAt } from "../../src/transcript/layout.ts";
import { until } from "../chaos/size.ts";
import { end } from "../daemon/household.ts";
import { answerLine, FakeDaemon } from "../support/fake-daemon.ts";
import { Bench } from "../support/holt.ts";
import { metaOf } from "../support/records.ts";
import { done, type Given, paramsIn, RUNTIME, startedBy, startWay, type Ways } from "./start-ways.ts";

/** What came of it on the short way; the long one is expected to differ in nothing. */
async function bothWays(bench: Bench, args: readonly string[], given: Given = {}): Promise<Ways> {
  const short = await startWay(bench, args, given);
  const long = await startWay(bench, args, { ...given, env: { ...given.env, ...RUNTIME } });
  expect([short.way, long.way]).toEqual(["both", "runtime"]);
  expect(seen(short)).toEqual(seen(long));
  return short;
}

/** Ids are each one's own. */
function seen({ text, stderr, exitCode, signal }: Ways): object {
  return { text: text.replaceAll(/^\w{12}$/gm, "ID"), stderr, exitCode, signal };
}

describe("A start that is refused", () => {
  test("tells why, with the codes of every shell", async () => {
    using bench = Bench.withDaemon();
    await bench.run(["daemon"]);
    writeFileSync(join(bench.root, "plain"), "");
    writeFileSync(join(bench.root, "script"), "#!/no/such\n");
    chmodSync(join(bench.root, "script"), 0o755);
    expect(await bothWays(bench, ["--", "no-such-command"])).toMatchObject({ text: "", exitCode: 127 });
    expect(await bothWays(bench, ["--no-pty", "--", "./plain"])).toMatchObject({ text: "", exitCode: 126 });
    expect(await bothWays(bench, ["--name", "x", "./script"])).toMatchObject({ text: "", exitCode: 126 });
    expect(await bothWays(bench, ["--", ""])).toMatchObject({ text: "" });
    await end(bench);
  });

  test("under other limits than the daemon's is done without it, once", async () => {
    using bench = Bench.withDaemon();
    await bench.run(["daemon"]);
    const before = ["nice", "-n", "7"];
    const { text, exitCode } = await bothWays(bench, ["--no-pty", "--", "nice"], { before });
    expect(exitCode).toBe(0);
    expect(bench.ids.length).toBe(2);
    await bench.run(["wait", text.trim()]);
    expect(bench.output(text.trim()).toString()).toBe("7\n");
    await end(bench);
  });

  test("while every session is being stopped is refused, and not done without the daemon either", async () => {
    using bench = Bench.withDaemon();
    using _daemon = new FakeDaemon(bench, (socket) => {
      const data = { code: "EBUSY", hint: "wait", details: {} };
      socket.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code: -32000, message: "closing", data } })}\n`);
    });
    expect(await bothWays(bench, ["--", "true"])).toMatchObject({ text: "", exitCode: 125 });
    expect(bench.started()).toEqual([]);
  });
});

describe("A daemon that", () => {
  test("hangs up once it was asked: the session is started without it", async () => {
    using bench = Bench.withDaemon();
    const runs = join(bench.root, "runs");
    using daemon = new FakeDaemon(bench, (socket) => void socket.end());
    const { text, exitCode } = await bothWays(bench, ["--no-pty", "--", "sh", "-c", `echo x >> ${runs}`]);
    expect(exitCode).toBe(0);
    expect(daemon.lines.length).toBe(2);
    expect(daemon.lines[0]).toContain(`"session_id":"${text.trim()}"`);
    expect(bench.ids.includes(text.trim())).toBe(true);
    await until("all is done", () => bench.holders().length === 0);
    expect(readFileSync(runs, "latin1")).toBe("x\nx\n");
  });

  test("has done it and hangs up before it said so: the session is told, and was run once", async () => {
    using bench = Bench.withDaemon();
    const runs = join(bench.root, "runs");
    const command = ["sh", "-c", `echo x >> ${runs}`];
    using _daemon = new FakeDaemon(bench, (socket, line) => {
      const id = String(paramsIn(line)["session_id"]);
      const args = ["start", "--no-pty", "--session-id", id, "--", ...command];
      void bench.run(args, { env: { HOLT_NO_DAEMON: "1" } }).then(() => socket.end());
    });
    expect(await bothWays(bench, ["--no-pty", "--", ...command])).toMatchObject({ stderr: "", exitCode: 0 });
    expect(bench.ids.length).toBe(2);
    await until("all is done", () => bench.holders().length === 0);
    expect(readFileSync(runs, "latin1")).toBe("x\nx\n");
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
    const { text, stderr, exitCode } = await startWay(bench, ["--no-pty", "--", "true"]);
    expect({ text, exitCode }).toEqual({ text: "", exitCode: 125 });
    expect(stderr).toMatch(/^holt: the holder of session \w+ died as it started it.*\n +`holt show \w+`/);
    expect(bench.ids.length).toBe(1);
  });

  test("reads it after all, when somebody else has done it, leaves it at that", async () => {
    using bench = Bench.withDaemon();
    await bench.run(["daemon"]);
    const runs = join(bench.root, "runs");
    const daemon = bench.daemonPid ?? 0;
    process.kill(daemon, "SIGSTOP");
    const told = await startWay(bench, ["--no-pty", "--", "sh", "-c", `echo x >> ${runs}`]);
    process.kill(daemon, "SIGCONT");
    expect(told).toMatchObject({ way: "both", exitCode: 0 });
    expect(told.stderr).toContain(`the daemon, pid ${daemon}, is stopped: this was started without it`);
    using client = await DaemonClient.dial(layoutAt(bench.state));
    await client?.call("session.list", {}); // by now it has read what it was asked
    expect(bench.ids).toEqual([told.text.trim()]);
    await bench.run(["wait", told.text.trim()]);
    await end(bench);
    expect(readFileSync(runs, "latin1")).toBe("x\n");
  }, 60_000);

  test("is stopped holds up neither way", async () => {
    using bench = Bench.withDaemon();
    await bench.run(["daemon"]);
    const daemon = bench.daemonPid ?? 0;
    process.kill(daemon, "SIGSTOP");
    expect(await bothWays(bench, ["--no-pty", "--", "true"])).toMatchObject({ exitCode: 0 });
    process.kill(daemon, "SIGCONT");
    await end(bench);
  }, 60_000);

  test("answers late is heard", async () => {
    using bench = Bench.withDaemon();
    using daemon = new FakeDaemon(bench);
    const starting = startWay(bench, ["--", "true"]);
    await daemon.asked;
    await until("the runtime has taken over", () => bench.processes("__started").length > 0);
    daemon.answer(startedBy(daemon.lines[0] ?? ""));
    expect(await starting).toMatchObject({ way: "both", stderr: "", exitCode: 0 });
    expect(bench.started()).toEqual([]);
  });

  test("is of a later version is believed, and of an earlier one replaced", async () => {
    using bench = Bench.withDaemon();
    {
      using _later = new FakeDaemon(bench, (socket, line) => void socket.write(answerLine(startedBy(line, "9.9.9"))));
      expect(await bothWays(bench, ["--", "true"])).toMatchObject({ stderr: "", exitCode: 0 });
    }
    const methods: unknown[] = [];
    using _earlier = new FakeDaemon(bench, (socket, line) => {
      methods.push((JSON.parse(line) as { method: string }).method);
      socket.write(answerLine(startedBy(line, "0.0.1")));
    });
    expect(await bothWays(bench, ["--", "true"])).toMatchObject({ stderr: "", exitCode: 0 });
    expect(methods).toEqual(["session.start", "daemon.shutdown", "session.start", "daemon.shutdown"]);
    expect(bench.started()).toEqual([]);
    await end(bench);
  });

  test("answers in pieces is heard to the end", async () => {
    using bench = Bench.withDaemon();
    using _daemon = new FakeDaemon(bench, (socket, line) => {
      const answer = answerLine(startedBy(line));
      socket.write(answer.slice(0, 40));
      void until(
        "the runtime has taken over, or is there",
        () => bench.processes("__started").length > 0 || line.includes(NO_NATIVE),
      ).then(() => socket.write(answer.slice(40)));
    });
    expect(await bothWays(bench, ["--", "true"])).toMatchObject({ stderr: "", exitCode: 0 });
    expect(bench.started()).toEqual([]);
  });

  test("tells of another session is left to the runtime", async () => {
    using bench = Bench.withDaemon();
    using _daemon = new FakeDaemon(bench, (socket, line) => {
      socket.write(answerLine({ ...startedBy(line), session_id: "another" }));
    });
    expect(await bothWays(bench, ["--", "true"])).toMatchObject({ text: "another\n", stderr: "", exitCode: 0 });
  });

  test("says what is no answer is not believed", async () => {
    using bench = Bench.withDaemon();
    using _daemon = new FakeDaemon(bench, (socket) => void socket.write("hello\n"));
    expect(await bothWays(bench, ["--", "true"])).toMatchObject({ text: "", exitCode: 125 });
  });
});

/** The runtime of the tests ignores it, and so would what it starts. */
const DEFAULT_XFSZ =
  "import os, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_DFL); os.execvp(sys.argv[1], sys.argv[1:])";

describe("An id that cannot be printed", () => {
  test.each([
    ["to a full disk", "> /dev/full"],
    ["to nobody", "| sleep 0"],
  ])("%s", async (_, where) => {
    using bench = Bench.withDaemon();
    using _daemon = new FakeDaemon(bench, done);
    // A pipe whose reader has gone before anything is written.
    const script = where.startsWith("|")
      ? `mkfifo pipe 2>/dev/null; exec 8<>pipe 9>pipe 8<&-; exec "$@" >&9`
      : `exec "$@" ${where}`;
    const before = ["bash", "-c", script, "bash"];
    const { exitCode, signal } = await bothWays(bench, ["--", "true"], { before });
    expect([exitCode !== 0, signal]).toEqual([true, null]);
  });

  test("to a file that is as long as it may be", async () => {
    // The signal of that (SIGXFSZ) ended it, where the long way says EFBIG.
    using bench = Bench.withDaemon();
    using _daemon = new FakeDaemon(bench, done);
    const script = `head -c 1024 /dev/zero >full; ulimit -f 1; exec python3 -c '${DEFAULT_XFSZ}' "$HOLT" start -- true >>full`;
    const { stderr, exitCode, signal } = await bench.shell(script);
    expect({ stderr, exitCode, signal }).toEqual({
      stderr: expect.stringContaining("cannot write to stdout: EFBIG") as string,
      exitCode: 1,
      signal: null,
    });
  });

  test("where stdout is closed", async () => {
    using bench = Bench.withDaemon();
    using _daemon = new FakeDaemon(bench, done);
    const given: Given = { before: ["bash", "-c", 'exec "$@" >&-', "bash"] };
    const short = await startWay(bench, ["--", "true"], given);
    const long = await startWay(bench, ["--", "true"], { ...given, env: RUNTIME });
    expect({ ...seen(short), way: short.way }).toEqual({ ...seen(long), way: "runtime" });
  });

  test("where the other end is full, until it is read", async () => {
    using bench = Bench.withDaemon();
    using _daemon = new FakeDaemon(bench, done);
    const { text } = await bench.shell(FULL_PIPE);
    expect(text).toMatch(/^65536 \w{12}\n$/);
  });
});

/** A pipe that does not block, and that is full: python3 fills it, and reads it once the start has written what it can. */
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
while child.poll() is None and b"__started" not in open(f"/proc/{child.pid}/cmdline", "rb").read(): pass
left = filled
while left > 0: left -= len(os.read(read, left))
print(filled, os.read(read, 100).decode(), end="")
child.wait()'`;

const NO_NATIVE = Buffer.from("HOLT_NO_NATIVE=1").toBase64();
