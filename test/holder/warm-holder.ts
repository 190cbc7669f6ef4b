/** A warm holder, the real one, with the test in the daemon's place: it is told what the test says, and answers to it. */
import { afterEach, expect } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { closeQuietly } from "../../src/platform/descriptors.ts";
import { readSync, writeAll } from "../../src/platform/fs.ts";
import { spawn } from "../../src/platform/spawn.ts";
import { socketPair } from "../../src/platform/unix-socket.ts";
import { waitFor } from "../../src/platform/wait.ts";
import { bytesOf, textOf } from "../../src/protocol/bytes.ts";
import { REPLY_FD, REQUEST_FD, type Ready, type StartRequest } from "../../src/protocol/start-request.ts";
import { VERSION } from "../../src/protocol/version.ts";
import { layoutAt, prepareLayout } from "../../src/transcript/layout.ts";
import { Bench, HOLT } from "../support/holt.ts";

export const HAS_NATIVE = process.platform === "linux" && process.arch === "x64";
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

export function hasEnded(bench: Bench, id: string): boolean {
  return existsSync(join(bench.state, "sessions", id, "final.json"));
}

export function startedHolder(): { bench: Bench; pid: number; ours: number } {
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

export interface Waiting {
  bench: Bench;
  pid: number;
  ready: Ready;
  tell: (bytes: Uint8Array) => void;
  read: () => string;
}

/** Once it is ready. */
export function warmHolder(): Waiting {
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
export async function straced(pid: number, inject: string, trace = "/dev/null"): Promise<Bun.Subprocess> {
  const strace = Bun.spawn(["strace", "-p", String(pid), "-e", inject, "-o", trace], { stderr: "pipe" });
  for await (const text of strace.stderr) if (new TextDecoder().decode(text).includes("attached")) break;
  return strace;
}

export function requestFor(id: string, command: string[], more: Partial<StartRequest>): StartRequest {
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

export function isWaiting({ understudy: { pid } }: Ready): boolean {
  return readFileSync(`/proc/${pid}/comm`, "utf8").startsWith("holt-leader");
}

export function none(): never {
  throw new Error("there is none");
}
