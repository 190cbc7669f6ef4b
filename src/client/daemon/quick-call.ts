/**
 * One synchronous call to the daemon with few imports: one write, one read. For commands that do
 * nothing else.
 *
 * No step outlasts the deadline: a stopped daemon accepts a connection and as many bytes as its
 * socket's buffer takes.
 */
import { closeQuietly } from "../../platform/fs/descriptors.ts";
import { readSync, writeSync } from "../../platform/fs/libc-fs.ts";
import { POLLIN, POLLOUT, pollNow } from "../../platform/native/poller.ts";
import { bytesOf, joined, textOf } from "../../protocol/types/bytes.ts";
import { errnoOf } from "../../protocol/types/errors.ts";
import type { Method, Params, Result } from "../../protocol/methods/table.schema.ts";
import { parseAnswer, requestLine } from "../../protocol/wire/json-rpc.ts";
import { isUnsafePathError } from "../../protocol/wire/unsafe-path.ts";
import type { Layout } from "../../transcript/layout.ts";
import { dialDaemonSocket } from "./daemon-socket.ts";

const NEWLINE = 10;
const NO_ANSWER_YET = Symbol();

/**
 * `unreached`: no daemon listens. `lost`: the request was sent and no answer came; the daemon may
 * have carried it out, or may do so later.
 */
export type QuickAnswer<M extends Method> =
  | { kind: "answered"; result: Result<M> }
  | { kind: "unreached" }
  | { kind: "lost" };

/** The request was sent, the answer has not arrived. */
export interface PendingAnswer<M extends Method> {
  kind: "silent";
  /** Waits for the answer up to `ms` longer. */
  wait(ms: number): QuickAnswer<M> | PendingAnswer<M>;
  hangUp(): void;
}

/** A connected descriptor, or the reason why there is none. */
export type DialResult = number | "unreached" | "lost";

export function quickCall<M extends Method>(
  layout: Layout,
  method: M,
  params: Params<M>,
  timeoutMs: number,
): QuickAnswer<M> {
  const answer = startQuickCall(layout, method, params, timeoutMs);
  if (answer.kind !== "silent") return answer;
  answer.hangUp();
  return { kind: "lost" };
}

/** As quickCall, but the caller may go on waiting after the timeout. */
export function startQuickCall<M extends Method>(
  daemon: Layout | DialResult,
  method: M,
  params: Params<M>,
  timeoutMs: number,
): QuickAnswer<M> | PendingAnswer<M> {
  const socket = typeof daemon === "object" ? dialDaemon(daemon) : daemon;
  if (typeof socket !== "number") return { kind: socket };
  return exchange<M>(socket, requestFor(socket, method, params), timeoutMs);
}

function exchange<M extends Method>(
  socket: number,
  request: Uint8Array,
  timeoutMs: number,
): QuickAnswer<M> | PendingAnswer<M> {
  let unsent = request;
  const unread: Uint8Array[] = [];
  const hangUp = (): void => closeQuietly(socket);
  const wait = (ms: number): QuickAnswer<M> | PendingAnswer<M> => {
    const deadline = performance.now() + ms;
    const line = nullOnHangup(() => {
      unsent = writeUntil(socket, unsent, deadline);
      return unsent.length > 0 ? NO_ANSWER_YET : readLine(socket, unread, deadline);
    });
    if (line === NO_ANSWER_YET) return { kind: "silent", wait, hangUp };
    hangUp();
    if (line === null) return { kind: "lost" };
    const { outcome } = parseAnswer(line);
    if ("error" in outcome) throw outcome.error;
    return { kind: "answered", result: outcome.result as Result<M> };
  };
  return wait(timeoutMs);
}

/** A request that is too long is not sent, and the connection is closed. */
function requestFor(socket: number, method: string, params: object): Uint8Array {
  try {
    return bytesOf(requestLine(1, method, params));
  } catch (error) {
    closeQuietly(socket);
    throw error;
  }
}

export function dialDaemon(layout: Layout): DialResult {
  try {
    return dialDaemonSocket(layout) ?? "unreached";
  } catch (error) {
    if (isUnsafePathError(error)) throw error;
    // EAGAIN: the backlog is full. Any other error: there is no socket, or no listener.
    return errnoOf(error) === "EAGAIN" ? "lost" : "unreached";
  }
}

/** Null if the daemon closed the connection. */
function nullOnHangup<T>(act: () => T): T | null {
  try {
    return act();
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    return null;
  }
}

/** The bytes that could not be written before the deadline. */
function writeUntil(fd: number, bytes: Uint8Array, deadline: number): Uint8Array {
  let at = 0;
  while (at < bytes.length) {
    try {
      at += writeSync(fd, bytes.subarray(at));
    } catch (error) {
      if (errnoOf(error) !== "EAGAIN") throw error;
      if (!isReady(fd, POLLOUT, deadline)) break;
    }
  }
  return bytes.subarray(at);
}

function readLine(fd: number, parts: Uint8Array[], deadline: number): string | typeof NO_ANSWER_YET | null {
  for (;;) {
    if (!isReady(fd, POLLIN, deadline)) return NO_ANSWER_YET;
    const block = new Uint8Array(16 * 1024);
    const length = readSync(fd, block);
    if (length === 0) return null;
    parts.push(block.subarray(0, length));
    if (block[length - 1] === NEWLINE) return textOf(joined(parts));
  }
}

/** Repeats poll(2) if a signal interrupts it. */
function isReady(fd: number, events: number, deadline: number): boolean {
  for (let left = deadline - performance.now(); left > 0; left = deadline - performance.now())
    if (pollNow(fd, events, Math.ceil(left)) !== 0) return true;
  return false;
}
