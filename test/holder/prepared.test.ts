/**
 * A warm holder that is sent a prepared start writes what it is given and has its command run before it has read what that is. What comes of it must not be told
 * from any other start; and what was not prepared for it, it does itself.
 */
import { describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { closeQuietly } from "../../src/platform/descriptors.ts";
import { childrenOf } from "../../src/platform/processes.ts";
import { waitFor } from "../../src/platform/wait.ts";
import { bytesOf } from "../../src/protocol/bytes.ts";
import { preparedFrom } from "../../src/protocol/prepared-start.ts";
import type { Meta } from "../../src/protocol/session.ts";
import type { StartRequest } from "../../src/protocol/start-request.ts";
import { VERSION } from "../../src/protocol/version.ts";
import { preparedStart } from "../../src/transcript/prepare-start.ts";
import { until } from "../chaos/size.ts";
import { Bench } from "../support/holt.ts";
import { HAS_NATIVE, hasEnded, isWaiting, none, requestFor, startedHolder, warmHolder } from "./warm-holder.ts";

describe.skipIf(!HAS_NATIVE)("A prepared start", () => {
  test("is begun when all of it is there, on the record that it was given", async () => {
    // A holder that begins a session and is told no more would have to leave it.
    const { bench, tell, read, ready } = warmHolder();
    const request = requestFor("p", ["sh", "-c", "echo $HOLT_SESSION_ID; exit 3"], { size: null });
    const { message } = preparedStart(request, ready) ?? none();
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

  test.each([
    ["before it is ready", true],
    ["without having read that it is", false],
  ])("a holder whose daemon dies %s leaves, and leaves nothing behind", async (_when, isAtOnce) => {
    const { bench, pid, ours } = startedHolder();
    const berths = (): string[] =>
      readdirSync(join(bench.state, "run")).filter((name) => /^(?:berth-|[0-9a-f]{12}\.sock$)/.test(name));
    if (!isAtOnce) await until("it waits", () => berths().length === 2 && childrenOf(pid)?.length === 1);
    closeQuietly(ours);
    await until("it is gone", () => waitFor(pid, { block: false, stops: false }) !== null);
    expect(berths()).toEqual([]);
  });

  test("at a terminal it has that at its size, and a pid of its own in the record", async () => {
    const { bench, tell, read, ready } = warmHolder();
    const request = requestFor("t", ["sh", "-c", "stty size; tty"], { size: { cols: 77, rows: 11 } });
    tell((preparedStart(request, ready) ?? none()).message);
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
    tell((preparedStart(request, ready) ?? none()).message);
    expect(JSON.parse(read())).toMatchObject({ error: { code: "EEXISTS" } });
    expect(readFileSync(join(bench.state, "sessions/taken/meta.json"), "utf8")).toBe("{}");
    expect(await Bun.file(join(bench.root, "ran")).exists()).toBe(false);
  });

  test("is answered at once though what it left behind holds its output open", async () => {
    // The reply waits for the end where that may have come already; but not for all that comes after it.
    const { bench, tell, read, ready } = warmHolder();
    const request = requestFor("b", ["sh", "-c", "sleep 60 & exit 0"], { size: null, linger: true });
    tell((preparedStart(request, ready) ?? none()).message);
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
    const ready = {
      holt_version: VERSION,
      holder: identity,
      understudy: identity,
      terminal: "/dev/pts/0",
      socket: "/state/x.sock",
    };
    expect(preparedStart(request, ready)).toBeNull();
    const plain = requestFor("x", ["true"], { size: null });
    expect(preparedStart(plain, ready)).not.toBeNull();
    // Another build, and one of the same version that does not say where it listens.
    expect(preparedStart(plain, { ...ready, holt_version: "9.9.9" })).toBeNull();
    expect(preparedStart(plain, { ...ready, socket: undefined as unknown as string })).toBeNull();
  });

  /** Found by a review: such sessions had their socket in a directory that others may have made, and nobody had looked whose it is. */
  test("is none where the socket has to be elsewhere, which is looked at", async () => {
    using bench = Bench.withDaemon();
    const state = join(bench.root, "x".repeat(90));
    const env = { HOLT_STATE_DIR: state };
    expect((await bench.run(["start", "--session-id", "far", "--", "cat"], { env })).exitCode).toBe(0);
    const { socket } = JSON.parse(readFileSync(join(state, "sessions", "far", "meta.json"), "utf8")) as Meta;
    expect(socket).toMatch(/^\/tmp\/holt-\d+\/[0-9a-f]{16}\.sock$/);
    expect(statSync(dirname(socket ?? "")).mode & 0o777).toBe(0o700);
    expect((await bench.run(["clients", "far", "--json"], { env })).exitCode).toBe(0);
    expect((await bench.run(["daemon", "stop", "--stop-sessions"], { env })).exitCode).toBe(0);
    expect(existsSync(socket ?? "")).toBe(false);
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

function executable(path: string, text: string): void {
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}
