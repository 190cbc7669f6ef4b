/**
 * Another user created /tmp/holt-UID first, bound the daemon's predictable name there, and read the
 * whole environment of `holt start`, which printed an id and exited 0. The same worked below a
 * state directory that others could write to, and for input at a holder's socket. Then `call`,
 * `daemon start` and `mcp` sent health.info to the same listener 3,369 times without a pause.
 */
import { describe, expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { basename, join } from "node:path";
import { HolderFrames } from "../../src/client/holder/holder-frames.ts";
import type { Meta } from "../../src/protocol/types/session.ts";
import { daemonSocketPath, layoutAt } from "../../src/transcript/layout.ts";
import { until } from "../chaos/size.ts";
import { answerLine, FakeDaemon, type Reaction } from "../support/fake-daemon.ts";
import { asUser, ForeignListener } from "../support/foreign-listener.ts";
import { Bench, collect, HOLT } from "../support/holt.ts";
import { TerminalUser } from "../support/terminal.ts";

const isRoot = process.getuid?.() === 0;
if (!isRoot)
  console.error("\n!!! NOT TRIED: sockets of another user's: programs cannot be run as one (it takes root)\n");
const CLIENT = new URL("../../dist/client.js", import.meta.url).href;
const NOBODY = 65_534;

interface Refused {
  exitCode: number | null;
  said: string;
}

/** A user and their state directory; `another` is the user that must not receive anything. */
class Victim implements Disposable {
  readonly root = mkdtempSync("/tmp/h-"); // other files of the tests must not be accessible to other users
  readonly state: string;
  readonly env: Record<string, string>;
  readonly uid: number;
  readonly another: number;
  #holder: number | null = null;

  constructor(uid: number, another: number, { isLong = false } = {}) {
    this.uid = uid;
    this.another = another;
    chmodSync(this.root, 0o755);
    this.state = join(this.root, isLong ? "s".repeat(100) : "state");
    this.env = { PATH: process.env["PATH"] ?? "", HOLT_STATE_DIR: this.state, HOME: this.root, SECRET: "of this user" };
    mkdirSync(this.state, { mode: 0o755 });
    chownSync(this.state, uid, uid);
  }

  get run(): string {
    return join(this.state, "run");
  }

  get daemonSocket(): string {
    const path = daemonSocketPath(layoutAt(this.state));
    return path.replace(/^\/tmp\/holt-\d+\//, `/tmp/holt-${this.uid}/`);
  }

  async holt(args: readonly string[], env: Record<string, string> = {}): Promise<Refused> {
    const argv = asUser(this.uid, [HOLT, ...args]);
    const { text, stderr, exitCode } = await collect(argv, {
      stdin: "",
      env: { ...this.env, ...env },
      cwd: this.root,
    });
    return { exitCode, said: text + stderr };
  }

  /** A running session with the path of its holder's socket. */
  async session(): Promise<{ id: string; socket: string }> {
    const { said, exitCode } = await this.holt(["start", "--", "sleep", "1000"], { HOLT_NO_DAEMON: "1" });
    expect({ said, exitCode }).toEqual({ said: expect.stringMatching(/^\w{12}\n$/) as string, exitCode: 0 });
    const id = said.trim();
    const meta = JSON.parse(readFileSync(join(this.state, "sessions", id, "meta.json"), "utf8")) as Meta;
    this.#holder = meta.holder.pid;
    return { id, socket: meta.socket ?? "" };
  }

  async attach(id: string): Promise<Refused> {
    const argv = asUser(this.uid, [HOLT, "attach", id]);
    await using user = new TerminalUser(argv, { env: this.env, cwd: this.root, cols: 400 });
    const { exitCode } = await user.exit();
    return { exitCode, said: user.text };
  }

  /**
   * With the client library, on the given runtime; 125 stands for an error with the code EDENIED.
   */
  async library(runtime: string, place: object): Promise<Refused> {
    const script = `const { connect } = await import(${JSON.stringify(CLIENT)});
      try { await connect(${JSON.stringify(place)}); console.log("connected"); }
      catch (error) { console.log(error.code, error.message); process.exit(125); }`;
    const argv = asUser(this.uid, [runtime, ...(runtime === "node" ? ["--input-type=module"] : []), "-e", script]);
    const { text, stderr, exitCode } = await collect(argv, { stdin: "", env: this.env, cwd: this.root });
    return { exitCode, said: text + stderr };
  }

  /** Every command that connects to the daemon. */
  async daemonCommands(): Promise<Record<string, Refused>> {
    return all({
      start: this.holt(["start", "--", "true"]),
      call: this.holt(["call", "session.list"]),
      mcp: this.holt(["mcp"]),
      "daemon start": this.holt(["daemon"]),
      "daemon status": this.holt(["daemon", "status"]),
      "daemon stop": this.holt(["daemon", "stop"]),
    });
  }

  async libraryWays(): Promise<Record<string, Refused>> {
    return all({
      "on Node": this.library("node", { socket: this.daemonSocket }),
      "on Bun": this.library(process.execPath, { socket: this.daemonSocket }),
      "with a directory": this.library("node", { stateDir: this.state, executable: HOLT }),
    });
  }

  /** Every command that connects to a holder. */
  async holderWays(id: string): Promise<Record<string, Refused>> {
    return all({
      attach: this.attach(id),
      "logs -f": this.holt(["logs", "-f", id]),
      send: this.holt(["send", id, "--text", "a password", "--enter"]),
      resize: this.holt(["resize", id, "80x24"]),
      stop: this.holt(["stop", id]),
    });
  }

  [Symbol.dispose](): void {
    if (this.#holder !== null) process.kill(this.#holder, "SIGKILL");
    for (const pid of commandsIn(this.state)) process.kill(pid, "SIGKILL");
    rmSync(`/tmp/holt-${this.uid}`, { recursive: this.uid > 60_000 && this.uid !== NOBODY, force: true });
    rmSync(this.root, { recursive: true });
  }
}

/** The command of a session whose holder was killed. */
function commandsIn(state: string): number[] {
  const { stdout } = Bun.spawnSync(["sh", "-c", `grep -lzsF "HOLT_STATE_DIR=${state}" /proc/[0-9]*/environ`]);
  return [...stdout.toString().matchAll(/^\/proc\/(\d+)\//gm)].map(([, pid]) => Number(pid));
}

async function all(ways: Record<string, Promise<Refused>>): Promise<Record<string, Refused>> {
  const refused = await Promise.all(Object.values(ways));
  return Object.fromEntries(Object.keys(ways).map((name, i) => [name, refused[i] as Refused]));
}

/** Each names the path and the owner, on one line, and exits 125. */
function expectRefused(ways: Record<string, Refused>, path: string, owner: number): void {
  const expected = expect.stringMatching(new RegExp(`${RegExp.escape(path)}.*uid ${owner}`)) as string;
  const wanted = Object.keys(ways).map((way) => [way, { exitCode: 125, said: expected }]);
  expect(ways).toEqual(Object.fromEntries(wanted) as Record<string, Refused>);
}

const TIME_MS = 60_000;
/**
 * The attacked user and the attacker. The first is not root, so that /tmp/holt-UID belongs to the
 * test.
 */
let lastUid = 61_000 + (process.pid % 3000);

describe.skipIf(!isRoot)("In /tmp/holt-UID, where sockets lie whose path would be too long,", () => {
  test(
    "another user's directory, with the daemon's name bound in it, is sent nothing",
    async () => {
      using victim = new Victim(++lastUid, NOBODY, { isLong: true });
      const directory = `/tmp/holt-${victim.uid}`;
      mkdirSync(directory);
      chownSync(directory, NOBODY, NOBODY);
      await using listener = await ForeignListener.at(NOBODY, victim.daemonSocket);
      expectRefused(await victim.daemonCommands(), directory, NOBODY);
      expectRefused(await victim.libraryWays(), directory, NOBODY);
      expect(await listener.seen()).toEqual({ connections: 0, received: 0 });
    },
    TIME_MS,
  );

  test(
    "a directory of another user's without the name, and one that we may not look into, are not used either",
    async () => {
      using victim = new Victim(++lastUid, NOBODY, { isLong: true });
      const directory = `/tmp/holt-${victim.uid}`;
      mkdirSync(directory, { mode: 0o777 });
      chownSync(directory, NOBODY, NOBODY);
      chmodSync(directory, 0o777);
      expectRefused(
        await all({ start: victim.holt(["start", "true"]), daemon: victim.holt(["daemon"]) }),
        directory,
        NOBODY,
      );
      chmodSync(directory, 0o700);
      expectRefused(
        await all({ start: victim.holt(["start", "true"]), daemon: victim.holt(["daemon"]) }),
        directory,
        NOBODY,
      );
    },
    TIME_MS,
  );

  test(
    "another user's symlink in its place is not followed, also to a directory of our own",
    async () => {
      using victim = new Victim(++lastUid, NOBODY, { isLong: true });
      const directory = `/tmp/holt-${victim.uid}`;
      mkdirSync(join(victim.root, "ours"), { mode: 0o700 });
      chownSync(join(victim.root, "ours"), victim.uid, victim.uid);
      symlinkSync(join(victim.root, "ours"), directory);
      lchownSync(directory, NOBODY, NOBODY);
      expectRefused(await victim.daemonCommands(), directory, NOBODY);
      expectRefused(await victim.libraryWays(), directory, NOBODY);
    },
    TIME_MS,
  );
});

describe.skipIf(!isRoot).each([
  ["root", 0, NOBODY],
  ["nobody", NOBODY, 65_533],
])("As %s, below a state directory that others could write to,", (_, uid, another) => {
  test(
    "a directory of another user's in the place of run/ is sent nothing",
    async () => {
      using victim = new Victim(uid, another);
      const { id, socket } = await victim.session();
      renameSync(victim.run, `${victim.run}.ours`);
      mkdirSync(victim.run);
      chownSync(victim.run, another, another);
      await using listener = await ForeignListener.at(another, victim.daemonSocket, socket);
      expectRefused(await victim.daemonCommands(), victim.run, another);
      expectRefused(await victim.libraryWays(), victim.run, another);
      expectRefused(await victim.holderWays(id), victim.run, another);
      expect(await listener.seen()).toEqual({ connections: 0, received: 0 });
    },
    TIME_MS,
  );

  test(
    "sockets of another user's among ours are sent nothing, whoever owns their names",
    async () => {
      using victim = new Victim(uid, another);
      const { id, socket } = await victim.session();
      const theirs = join(victim.root, "theirs");
      mkdirSync(theirs);
      chownSync(theirs, another, another);
      const paths = [victim.daemonSocket, socket];
      await using listener = await ForeignListener.at(another, ...paths.map((path) => join(theirs, basename(path))));
      for (const path of paths) renameSync(join(theirs, basename(path)), path);
      expectRefused(await victim.daemonCommands(), victim.daemonSocket, another);
      expectRefused(await victim.libraryWays(), victim.daemonSocket, another);
      expectRefused(await victim.holderWays(id), socket, another);
      // The path is the user's own, the process behind it is not. Only the kernel knows that, and
      // Node, which the library must support, cannot ask it.
      for (const path of paths) chownSync(path, uid, uid);
      expectRefused(await victim.daemonCommands(), victim.daemonSocket, another);
      expectRefused(await victim.holderWays(id), socket, another);
      if (uid === 0) {
        const receiver = { frame() {}, closed() {} };
        const dialled = HolderFrames.dial(socket, receiver).then(() => "dialled", String);
        expect(await dialled).toContain(`${socket} is served by a process of another user: uid ${another}`);
      }
      expect(await listener.seen()).toMatchObject({ received: 0 });
    },
    TIME_MS,
  );

  test(
    "a state directory of another user's, or one in which anybody may exchange run/, is refused by name",
    async () => {
      using victim = new Victim(uid, another);
      chmodSync(victim.state, 0o777);
      for (const { exitCode, said } of Object.values(
        await all({ start: victim.holt(["start", "true"]), call: victim.holt(["call", "health.info"]) }),
      )) {
        expect(exitCode).toBe(125);
        expect(said).toContain(`${victim.state} can be written to by other users: mode 0777`);
      }
      chmodSync(victim.state, 0o755);
      chownSync(victim.state, another, another);
      expectRefused(
        await all({ start: victim.holt(["start", "true"]), status: victim.holt(["daemon", "status"]) }),
        victim.state,
        another,
      );
    },
    TIME_MS,
  );
});

const TOOL_CALL = [
  {
    id: 0,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
  },
  { method: "notifications/initialized" },
  { id: 1, method: "tools/call", params: { name: "session_list", arguments: {} } },
]
  .map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  .join("");

describe("A listener in the daemon's place that does not answer as a daemon", () => {
  test.each([
    ["hangs up", (socket) => void socket.end()],
    ["says something else", (socket) => void socket.write("hello\n")],
    [
      "is old, ends when it is told to, and is there again",
      (socket, line) => {
        if (line.includes("daemon.shutdown")) socket.end();
        else socket.write(answerLine({ version: "0.0.1" }));
      },
    ],
  ] as [string, Reaction][])(
    "and %s is asked a few times, with pauses, and named",
    async (_, react) => {
      using bench = Bench.withDaemon();
      using odd = new FakeDaemon(bench, react);
      const ways: Record<string, () => Promise<string>> = {
        call: async () => (await bench.run(["call", "session.list"])).text,
        daemon: async () => (await bench.run(["daemon"])).stderr,
        mcp: async () => (await bench.run(["mcp", "--tools", "all"], { stdin: TOOL_CALL })).text,
      };
      for (const [name, way] of Object.entries(ways)) {
        const before = odd.connections;
        const path = join(bench.state, "run", "daemon.sock");
        expect([name, await way()]).toEqual([
          name,
          expect.stringContaining(`the process at ${path} does not answer as a daemon`) as string,
        ]);
        expect(odd.connections - before).toBeLessThanOrEqual(10);
      }
      await until("no daemon was started beside it", () => bench.processes("__daemon").length === 0);
    },
    30_000,
  );
});
