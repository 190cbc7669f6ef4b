/** One question to the daemon, on the shortest way: one write, one read, nothing loaded. For commands that do nothing else. */
import { closeQuietly } from "../platform/descriptors.ts";
import { readSync, writeAll } from "../platform/fs.ts";
import { POLLIN, pollNow } from "../platform/poller.ts";
import { dialUnix } from "../platform/unix-socket.ts";
import { bytesOf, joined, textOf } from "../protocol/bytes.ts";
import { errnoOf } from "../protocol/errors.ts";
import type { Method, Params, Result } from "../protocol/table.schema.ts";
import { parseAnswer, requestLine } from "../protocol/wire.ts";
import { daemonSocketPath, type Layout } from "../transcript/layout.ts";

const NEWLINE = 10;

/** `unreached`: nobody listens. `lost`: it was asked, and hung up or stayed silent: it may have done it, or do it yet. */
export type Quick<M extends Method> =
  | { kind: "answered"; result: Result<M> }
  | { kind: "unreached" }
  | { kind: "lost" };

export function quickCall<M extends Method>(layout: Layout, method: M, params: Params<M>, timeoutMs: number): Quick<M> {
  const socket = dialled(layout);
  if (socket === null) return { kind: "unreached" };
  try {
    const line = asked(socket, bytesOf(requestLine(1, method, params)), performance.now() + timeoutMs);
    if (line === null) return { kind: "lost" };
    const { outcome } = parseAnswer(line);
    if ("error" in outcome) throw outcome.error;
    return { kind: "answered", result: outcome.result as Result<M> };
  } finally {
    closeQuietly(socket);
  }
}

function dialled(layout: Layout): number | null {
  try {
    return dialUnix(daemonSocketPath(layout));
  } catch {
    return null; // whatever stands there, it is no daemon
  }
}

/** Null when there was no answer. */
function asked(fd: number, question: Uint8Array, deadline: number): string | null {
  try {
    writeAll(fd, question);
    return readLine(fd, deadline);
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    return null; // it hung up
  }
}

function readLine(fd: number, deadline: number): string | null {
  const parts: Uint8Array[] = [];
  for (;;) {
    const left = Math.ceil(deadline - performance.now());
    if (left <= 0 || pollNow(fd, POLLIN, left) === 0) return null;
    const block = new Uint8Array(16 * 1024);
    const length = readSync(fd, block);
    if (length === 0) return null;
    parts.push(block.subarray(0, length));
    if (block[length - 1] === NEWLINE) return textOf(joined(parts));
  }
}
