/**
 * An older daemon refuses what it does not know yet: `holt start` after an upgrade used to exit 2 for a field that its user never wrote. And the
 * new daemon used to leave again, as the old one answers that it ends before its lock is free.
 */
import { expect, test } from "bun:test";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { fileConstants } from "../../src/platform/native/constants.ts";
import { closerOf } from "../../src/platform/fs/descriptors.ts";
import { openSync } from "../../src/platform/fs/libc-fs.ts";
import { tryLockExclusive } from "../../src/platform/fs/lock.ts";
import { until } from "../chaos/size.ts";
import { Bench, collect, HOLT } from "../support/holt.ts";
import { dial, end } from "./household.ts";

test.each(["start --session-id x -- sleep 60", "daemon restart", "daemon"])(
  "an older daemon hands over to holt %s",
  async (line) => {
    using bench = Bench.withDaemon();
    using old = new OldDaemon(bench);
    const running = bench.run(line.split(" "));
    await until("it is told to end", () => old.isTold);
    await until("a new one comes up, while the lock is still held", () => newDaemons(bench).length > 0);
    old[Symbol.dispose]();
    expect(await running).toMatchObject({ stderr: "", exitCode: 0 });
    await until("a daemon runs", () => newDaemons(bench).includes(bench.daemonPid ?? 0));
    const status = JSON.parse((await bench.run(["daemon", "--json"])).text);
    expect(status.version).not.toBe(OLD_VERSION);
    expect(status.sessions.running).toBe(line.startsWith("start") ? 1 : 0);
    await bench.run(["kill", "x"]);
    await end(bench);
  },
);

/** Of the same version, as between two builds, an old daemon used to stay for as long as there was anything to do, and its status did not tell. */
test("a daemon whose executable was replaced hands over once nobody is connected, and a removed one ends", async () => {
  using bench = Bench.withDaemon();
  const own = join(bench.root, "holt");
  copyFileSync(HOLT, own);
  const run = (...args: string[]) => collect([own, ...args], { stdin: "", env: bench.env, cwd: bench.root });
  await run("daemon");
  const first = bench.daemonPid ?? 0;
  expect(await run("start", "--session-id", "x", "--", "sleep", "60")).toMatchObject({ stderr: "", exitCode: 0 });
  expect(JSON.parse((await run("daemon", "status", "--json")).text)).toMatchObject({
    executable: "current",
    pid: first,
  });
  {
    using client = await dial(bench);
    copyFileSync(HOLT, join(bench.root, "new"));
    renameSync(join(bench.root, "new"), own);
    expect(await client.call("health.info", {})).toMatchObject({ executable: "replaced", pid: first });
    expect(await run("start", "--session-id", "y", "--", "sleep", "60")).toMatchObject({ stderr: "", exitCode: 0 });
    expect(bench.daemonPid).toBe(first); // somebody is connected
  }
  let second: number | null = null;
  await until("another has its place", () => (second = bench.daemonPid) !== null && second !== first);
  await bench.run(["daemon"]); // and listens
  {
    using client = await dial(bench);
    const health = await client.call("health.info", {});
    expect(health).toMatchObject({ executable: "current", sessions: { running: 2 } });
    expect(health.pid).toBe(second ?? 0);
    unlinkSync(own);
    const status = JSON.parse((await bench.run(["daemon", "status", "--json"])).text);
    expect(status).toMatchObject({ executable: "removed", pid: health.pid });
  }
  await until("it has ended", () => bench.daemonPid === null);
  await bench.run(["kill", "x", "y"]);
  await end(bench);
});

const OLD_VERSION = "0.0.9";

/** Answers as one of 0.0.9 that knows fewer fields. It keeps its lock until it is disposed of. */
class OldDaemon implements Disposable {
  isTold = false;
  readonly #unlock: () => void;
  readonly #listener: Bun.UnixSocketListener<undefined>;

  constructor(bench: Bench) {
    const run = join(bench.state, "run");
    mkdirSync(run, { recursive: true, mode: 0o700 });
    const lock = openSync(join(run, "daemon.lock"), fileConstants.O_RDWR | fileConstants.O_CREAT, 0o600);
    tryLockExclusive(lock);
    this.#unlock = closerOf(lock);
    const path = join(run, "daemon.sock");
    let partial = "";
    this.#listener = Bun.listen({
      unix: path,
      socket: {
        data: (socket, bytes) => {
          const lines = (partial + bytes.toString()).split("\n");
          partial = lines.pop() ?? "";
          for (const line of lines) {
            const { id, method } = JSON.parse(line) as { id: number; method: string };
            socket.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answers[method] })}\n`);
            if (method !== "daemon.shutdown") continue;
            this.#listener.stop();
            rmSync(path, { force: true });
            this.isTold = true;
            socket.terminate();
          }
        },
      },
    });
  }

  [Symbol.dispose](): void {
    this.#listener.stop(true);
    this.#unlock();
  }
}

const answers: Record<string, object> = {
  "session.start": {
    error: {
      code: -32602,
      message: 'session.start: Unrecognized key: "umask"',
      data: { code: "EBADARGS", details: {}, hint: null },
    },
  },
  "health.info": { result: { version: OLD_VERSION, pid: 1 } },
  "daemon.shutdown": { result: { stopped: [] } },
};

function newDaemons(bench: Bench): number[] {
  return readdirSync("/proc").flatMap((name) => {
    try {
      const isDaemon = readFileSync(`/proc/${name}/cmdline`, "latin1").endsWith("\0__daemon\0");
      const isOurs = readFileSync(`/proc/${name}/environ`, "latin1").includes(`HOLT_STATE_DIR=${bench.state}\0`);
      return isDaemon && isOurs ? [Number(name)] : [];
    } catch {
      return []; // gone, or no process
    }
  });
}
