/**
 * One question to the daemon, on the shortest way: one write, one read, nothing loaded. For commands that do nothing else.
 * No step of it outlasts the deadline: a daemon that was stopped takes a connection, and as much as fits into a socket's buffer, and no more.
 */
import { closeQuietly } from "../platform/descriptors.ts";
import { readSync, writeSync } from "../platform/fs.ts";
import { POLLIN, POLLOUT, pollNow } from "../platform/poller.ts";
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

/** A connection, or why there is none. Who asks a moment later has been accepted by then. */
export type Dialled = number | "unreached" | "lost";

export function quickCall<M extends Method>(
  daemon: Layout | Dialled,
  method: M,
  params: Params<M>,
  timeoutMs: number,
): Quick<M> {
  const socket = typeof daemon === "object" ? dialDaemon(daemon) : daemon;
  if (typeof socket !== "number") return { kind: socket };
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

export function dialDaemon(layout: Layout): Dialled {
  try {
    return dialUnix(daemonSocketPath(layout)) ?? "unreached";
  } catch (error) {
    return errnoOf(error) === "EAGAIN" ? "lost" : "unreached"; // whatever else stands there, it is no daemon
  }
}

/** Null when there was no answer. */
function asked(fd: number, question: Uint8Array, deadline: number): string | null {
  try {
    return writeBy(fd, question, deadline) ? readLine(fd, deadline) : null;
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    return null; // it hung up
  }
}

/** Whether all of it could be written. */
function writeBy(fd: number, bytes: Uint8Array, deadline: number): boolean {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(fd, bytes.subarray(at));
    } catch (error) {
      if (errnoOf(error) !== "EAGAIN") throw error;
      if (!isReady(fd, POLLOUT, deadline)) return false;
    }
  }
  return true;
}

function readLine(fd: number, deadline: number): string | null {
  const parts: Uint8Array[] = [];
  for (;;) {
    if (!isReady(fd, POLLIN, deadline)) return null;
    const block = new Uint8Array(16 * 1024);
    const length = readSync(fd, block);
    if (length === 0) return null;
    parts.push(block.subarray(0, length));
    if (block[length - 1] === NEWLINE) return textOf(joined(parts));
  }
}

/** A signal may wake poll(2) early. */
function isReady(fd: number, events: number, deadline: number): boolean {
  for (let left = deadline - performance.now(); left > 0; left = deadline - performance.now())
    if (pollNow(fd, events, Math.ceil(left)) !== 0) return true;
  return false;
}
