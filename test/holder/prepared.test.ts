/**
 * A warm holder that is sent a prepared start writes what it is given and has its command run before it has read what that is. What comes of it must not be told
 * from any other start; and what was not prepared for it, it does itself.
 */
import { afterEach, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HolderConnection } from "../../src/client/holder-connection.ts";
import { closeQuietly } from "../../src/platform/descriptors.ts";
import { readSync, writeAll } from "../../src/platform/fs.ts";
import { childrenOf } from "../../src/platform/processes.ts";
import { spawn } from "../../src/platform/spawn.ts";
import { socketPair } from "../../src/platform/unix-socket.ts";
import { waitFor } from "../../src/platform/wait.ts";
import { bytesOf, textOf } from "../../src/protocol/bytes.ts";
import { encodeJsonFrame, FRAME, PROTOCOL_VERSION } from "../../src/protocol/frames.ts";
import { preparedFrom } from "../../src/protocol/prepared-start.ts";
import { REPLY_FD, REQUEST_FD, type Ready, type StartRequest } from "../../src/protocol/start-request.ts";
import { VERSION } from "../../src/protocol/version.ts";
import { layoutAt, prepareLayout } from "../../src/transcript/layout.ts";
import { preparedStart } from "../../src/transcript/prepare-start.ts";
import { isAlive } from "../chaos/processes.ts";
import { until } from "../chaos/size.ts";
import { Bench, HOLT } from "../support/holt.ts";

const HAS_NATIVE = process.platform === "linux" && process.arch === "x64";
const { version: packageVersion } = JSON.parse(readFileSync(join(import.meta.dir, "../../package.json"), "utf8")) as {
  version: string;
};
const held: { pid: number; ours: number }[] = [];
const benches: Bench[] = [];

afterEach(() => {
  for (const { pid, ours } of held.splice(0)) {
    closeQuietly(ours); // one that has a session ends with its command, any other by this
    waitFor(pid, { block: true, stops: false });
  }
  for (const bench of benches.splice(0)) bench[Symbol.dispose]();
});

describe.skipIf(!HAS_NATIVE)("A prepared start", () => {
  test("is begun when all of it is there, on the record that it was given", async () => {
    // A holder that begins a session and is told no more would have to leave it.
    const { bench, tell, read, ready } = warmHolder();
    const request = requestFor("p", ["sh", "-c", "echo $HOLT_SESSION_ID; exit 3"], { size: null });
    const { message } = preparedStart(request, ready, layoutAt(bench.state)) ?? none();
    const { prepared } = preparedFrom(message) ?? none();
    await until("its understudy has come up", () => isWaiting(ready));
    for (const byte of [0, 5, message.length - 2]) {
      tell(message.subarray(byte, byte === 0 ? 5 : byte === 5 ? message.length - 2 : message.length));
      if (byte < message.length - 2) expect([isWaiting(ready), bench.ids]).toEqual([true, []]);
    }
    expect(JSON.parse(read())).toMatchObject({
      session_id: "p",
      pid: ready.understudy.pid,
      since: { process: ready.understudy },
    });
    await until("it has ended", () => hasEnded(bench, "p"));
    expect(readFileSync(join(bench.state, "sessions/p/meta.json"))).toEqual(Buffer.from(prepared.meta));
    expect(bench.output("p").toString()).toBe("p\n");
    expect(bench.final("p")).toMatchObject({ state: "exited", exit_code: 3, output_complete: true });
  });

  test("can be asked while its command is slow to come up", async () => {
    // Its socket had a name, and nobody behind it: who asked was told, after seconds, that the holder does not answer.
    const { bench, tell, read, ready } = warmHolder();
    const strace = await straced(ready.understudy.pid, "inject=execve:delay_enter=3000000");
    tell((preparedStart(requestFor("s", ["true"], { size: null }), ready, layoutAt(bench.state)) ?? none()).message);
    await until("it has a record", () => existsSync(join(bench.state, "sessions/s/meta.json")));
    await until("its beginning is written down", () => bench.artifact("events.jsonl", "s").includes('"starting"'));
    using holder = await HolderConnection.dial(bench.meta("s").socket ?? none(), AbortSignal.timeout(10_000));
    holder?.send(encodeJsonFrame(FRAME.hello, { protocol: PROTOCOL_VERSION, holt_version: VERSION }));
    expect(await holder?.next()).toMatchObject({ type: FRAME.hello });
    expect(isWaiting(ready)).toBe(true);
    expect(JSON.parse(read())).toMatchObject({ session_id: "s" });
    await strace.exited;
  });

  test("is not run a second time where its leader was killed before it could say that it runs", async () => {
    // A leader that ended without a word was taken for one that could not execute the command, which was then tried again.
    const { bench, tell, read, ready } = warmHolder();
    const { pid } = ready.understudy;
    const strace = await straced(pid, "inject=write:delay_enter=3000000");
    const file = join(bench.root, "runs");
    // Nor is what has begun left to itself: it ran on, below a session that was said to have failed.
    const script = `trap "" HUP; printf "$$ " >>${file}; kill -9 $PPID; exec sleep 60`;
    const request = requestFor("k", ["sh", "-c", script], { size: { cols: 80, rows: 24 } });
    tell((preparedStart(request, ready, layoutAt(bench.state)) ?? none()).message);
    const message = "cannot start sh: the leader of its terminal was killed before it had said that it runs";
    expect(JSON.parse(read())).toMatchObject({ error: { code: "EIO", message } });
    await strace.exited;
    const [command = "", ...more] = readFileSync(file, "utf8").trim().split(" ");
    expect([more, isAlive(Number(command))]).toEqual([[], false]);
    expect(bench.final("k")).toMatchObject({ state: "failed", survivors: [] });
  });

  test.each([
    ["before it is ready", true],
    ["without having read that it is", false],
  ])("a holder whose daemon dies %s leaves, and leaves nothing behind", async (_when, isAtOnce) => {
    const { bench, pid, ours } = startedHolder();
    const berths = (): string[] => readdirSync(join(bench.state, "run")).filter((name) => name.startsWith("berth-"));
    if (!isAtOnce) await until("it waits", () => berths().length === 2 && childrenOf(pid)?.length === 1);
    closeQuietly(ours);
    await until("it is gone", () => waitFor(pid, { block: false, stops: false }) !== null);
    expect(berths()).toEqual([]);
  });

  test("at a terminal it has that at its size, and a pid of its own in the record", async () => {
    const { bench, tell, read, ready } = warmHolder();
    const request = requestFor("t", ["sh", "-c", "stty size; tty"], { size: { cols: 77, rows: 11 } });
    tell((preparedStart(request, ready, layoutAt(bench.state)) ?? none()).message);
    const { pid, since } = JSON.parse(read()) as { pid: number; since: object };
    expect(pid).not.toBe(ready.understudy.pid);
    await until("it has ended", () => hasEnded(bench, "t"));
    expect(bench.output("t").toString()).toBe(`11 77\r\n${ready.terminal}\r\n`);
    expect(bench.meta("t")).toMatchObject({ ...since, process: { pid }, size: { cols: 77, rows: 11 } });
  });

  test("an id that is taken is refused, and of what has it nothing is touched", async () => {
    const { bench, tell, read, ready } = warmHolder();
    mkdirSync(join(bench.state, "sessions/taken"), { recursive: true });
    writeFileSync(join(bench.state, "sessions/taken/meta.json"), "{}");
    const request = requestFor("taken", ["touch", join(bench.root, "ran")], { size: null });
    tell((preparedStart(request, ready, layoutAt(bench.state)) ?? none()).message);
    expect(JSON.parse(read())).toMatchObject({ error: { code: "EEXISTS" } });
    expect(readFileSync(join(bench.state, "sessions/taken/meta.json"), "utf8")).toBe("{}");
    expect(await Bun.file(join(bench.root, "ran")).exists()).toBe(false);
  });

  test.each([
    ["pwrite64", "ENOSPC", null],
    ["openat", "EMFILE", null],
    ["renameat", "EIO", null],
    ["ioctl", "EIO", { cols: 70, rows: 20 }],
    ["write", "EAGAIN", null],
  ])("is run once where its %s is refused at first (%s)", async (call, error, size) => {
    // The machine code that begins it leaves what fails to whoever would have done it without, and that may succeed.
    const { bench, pid, tell, read, ready } = warmHolder();
    const strace = await straced(pid, `inject=${call}:error=${error}:when=1`, join(bench.root, "trace"));
    const file = join(bench.root, "runs");
    const request = requestFor("o", ["sh", "-c", `printf x >>${file}; stty size; exit 4`], { size });
    tell((preparedStart(request, ready, layoutAt(bench.state)) ?? none()).message);
    expect(JSON.parse(read())).toMatchObject({ session_id: "o" });
    await until("it has ended", () => hasEnded(bench, "o"));
    expect(readFileSync(file, "utf8")).toBe("x");
    expect(bench.final("o")).toMatchObject({ state: "exited", exit_code: 4 });
    if (size !== null) expect(bench.output("o").toString()).toBe("20 70\r\n");
    await strace.exited;
    expect(readFileSync(join(bench.root, "trace"), "utf8")).toContain("INJECTED");
  });

  test("is answered at once though what it left behind holds its output open", async () => {
    // The reply waits for the end where that may have come already; but not for all that comes after it.
    const { bench, tell, read, ready } = warmHolder();
    const request = requestFor("b", ["sh", "-c", "sleep 60 & exit 0"], { size: null, linger: true });
    tell((preparedStart(request, ready, layoutAt(bench.state)) ?? none()).message);
    expect(JSON.parse(read())).toMatchObject({ session_id: "b" });
    expect(hasEnded(bench, "b")).toBe(false);
    await bench.run(["kill", "b"]);
  });

  test.each([
    ["channels", { channels: [{ name: "c", source: "fd", format: "raw", path: null }] }],
    ["limits", { limits: { files: 64 } }],
    ["a file that was judged", { file: "/bin/true" }],
    ["a policy of restarts", { restart: { when: "always", max_restarts: 1, delay_ms: 1 } }],
    ["something to read", { stdin: "" }],
    [
      "a shell that is to tell of itself",
      { argv: ["L2Jpbi9iYXNo"], size: { cols: 80, rows: 24 }, shell_integration: true },
    ],
    ["no command", { argv: [""] }],
    [
      "a command that does not fit",
      { argv: ["/bin/true", "x".repeat(70_000)].map((word) => bytesOf(word).toBase64()) },
    ],
    ["no id", { session_id: null }],
  ])("is none for what has %s", (_what, more) => {
    const request = { ...requestFor("x", ["true"], { size: null }), ...more } as StartRequest;
    const identity = { pid: 1, start_time: 1, boot_id: "b" };
    const ready = { holt_version: VERSION, holder: identity, understudy: identity, terminal: "/dev/pts/0" };
    expect(preparedStart(request, ready, layoutAt("/state"))).toBeNull();
    const plain = requestFor("x", ["true"], { size: null });
    expect(preparedStart(plain, ready, layoutAt("/state"))).not.toBeNull();
    // Another build, and a socket that has to be elsewhere, in a directory that others may have made.
    expect(preparedStart(plain, { ...ready, holt_version: "9.9.9" }, layoutAt("/state"))).toBeNull();
    expect(preparedStart(plain, ready, layoutAt(`/${"x".repeat(90)}`))).toBeNull();
  });
});

test.skipIf(!HAS_NATIVE)("A command is looked for along PATH as by any start", async () => {
  using bench = Bench.withDaemon();
  await bench.run(["daemon"]);
  const places: Record<string, (path: string) => void> = {
    missing: () => {},
    closed: (path) => writeFileSync(path, "#!/bin/sh\necho closed\n"),
    directory: (path) => mkdirSync(path),
    dangling: (path) => symlinkSync("/no/such", path),
    circle: (path) => symlinkSync(path, path),
    strange: (path) => executable(path, "#!/no/such/interpreter\n"),
    plain: (path) => executable(path, "echo plain"),
    script: (path) => executable(path, "#!/bin/sh\necho script\n"),
  };
  const kinds = Object.keys(places);
  for (const [i, first] of kinds.entries())
    for (const second of ["missing", "closed", "script"]) {
      const there = [first, second].map((kind, n) => {
        const directory = join(bench.root, `${i}-${second}-${n}`);
        mkdirSync(directory);
        places[kind]?.(join(directory, "it"));
        return directory;
      });
      const PATH = ["/no/such", ...there, "/usr/bin", "/bin"].join(":");
      const results = [];
      for (const extra of [{}, { HOLT_NO_DAEMON: "1" }]) {
        const { exitCode, stderr, text } = await bench.run(["start", "--no-pty", "--", "it"], {
          env: { PATH, ...extra },
        });
        const id = text.trim();
        if (id !== "") await bench.run(["wait", id]);
        results.push({ exitCode, stderr, output: id === "" ? null : bench.output(id).toString() });
      }
      expect({ first, second, ...results[0] }).toEqual({ first, second, ...(results[1] ?? none()) });
    }
  bench.killDaemons();
  await until("no holder is left", () => bench.holders().length === 0);
});

function hasEnded(bench: Bench, id: string): boolean {
  return existsSync(join(bench.state, "sessions", id, "final.json"));
}

function executable(path: string, text: string): void {
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

/** The real one, with the test in the daemon's place. */
function startedHolder(): { bench: Bench; pid: number; ours: number } {
  const bench = new Bench();
  prepareLayout(layoutAt(bench.state));
  const [ours, theirs] = socketPair();
  const pid = spawn({
    path: bytesOf(HOLT),
    argv: [HOLT, "__holder", "warm", "telling"].map(bytesOf),
    env: Object.entries(bench.env).map(([key, value]) => bytesOf(`${key}=${value}`)),
    fds: new Map([
      [REQUEST_FD, theirs],
      [REPLY_FD, theirs],
    ]),
    place: "own_session",
    signals: "default",
  });
  closeQuietly(theirs);
  benches.push(bench);
  return { bench, pid, ours };
}

interface Waiting {
  bench: Bench;
  pid: number;
  ready: Ready;
  tell: (bytes: Uint8Array) => void;
  read: () => string;
}

/** Once it is ready. */
function warmHolder(): Waiting {
  const { bench, pid, ours } = startedHolder();
  held.push({ pid, ours });
  let unread = "";
  const read = (): string => {
    for (; !unread.includes("\n"); ) {
      const block = new Uint8Array(16 * 1024);
      const length = readSync(ours, block);
      if (length === 0) throw new Error("the holder hung up");
      unread += textOf(block.subarray(0, length));
    }
    const line = unread.slice(0, unread.indexOf("\n"));
    unread = unread.slice(line.length + 1);
    return line;
  };
  const { ready } = JSON.parse(read()) as { ready: Ready };
  expect(ready.holt_version).toBe(packageVersion);
  // This process has no version of its own.
  return { bench, pid, ready: { ...ready, holt_version: VERSION }, tell: (bytes) => writeAll(ours, bytes), read };
}

/** From when it returns on. */
async function straced(pid: number, inject: string, trace = "/dev/null"): Promise<Bun.Subprocess> {
  const strace = Bun.spawn(["strace", "-p", String(pid), "-e", inject, "-o", trace], { stderr: "pipe" });
  for await (const text of strace.stderr) if (new TextDecoder().decode(text).includes("attached")) break;
  return strace;
}

function requestFor(id: string, command: string[], more: Partial<StartRequest>): StartRequest {
  return {
    argv: command.map((word) => bytesOf(word).toBase64()),
    env: [bytesOf(`PATH=${process.env["PATH"] ?? ""}`).toBase64()],
    cwd: "/",
    umask: 0o22,
    session_id: id,
    name: null,
    project_id: null,
    timeout_ms: null,
    idle_timeout_ms: null,
    size_rule: "smallest",
    input: "shared",
    size: null,
    ...more,
  };
}

function isWaiting({ understudy: { pid } }: Ready): boolean {
  return readFileSync(`/proc/${pid}/comm`, "utf8").startsWith("holt-leader");
}

function none(): never {
  throw new Error("there is none");
}
