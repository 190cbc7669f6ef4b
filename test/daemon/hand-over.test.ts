/**
 * An older daemon refuses what it does not know yet: `holt start` after an upgrade used to exit 2 for a field that its user never wrote. And the
 * new daemon used to leave again, as the old one answers that it ends before its lock is free.
 */
import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileConstants } from "../../src/platform/constants.ts";
import { closerOf } from "../../src/platform/descriptors.ts";
import { openSync } from "../../src/platform/fs.ts";
import { tryLockExclusive } from "../../src/platform/lock.ts";
import { until } from "../chaos/size.ts";
import { Bench } from "../support/holt.ts";
import { end } from "./household.ts";

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
