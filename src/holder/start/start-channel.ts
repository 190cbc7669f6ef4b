/**
 * The channel to the process that started a background holder: it sends the start request and reads
 * the replies.
 */
import { closeQuietly, setNonBlocking } from "../../platform/fs/descriptors.ts";
import { readSync, writeSync } from "../../platform/fs/libc-fs.ts";
import { fileStat, kindOf } from "../../platform/fs/stat.ts";
import { POLLIN, POLLOUT, pollNow } from "../../platform/native/poller.ts";
import { bytesOf, joined, textOf } from "../../protocol/types/bytes.ts";
import { errnoOf } from "../../protocol/types/errors.ts";
import type { Final } from "../../protocol/types/session.ts";
import { REPLY_FD, REQUEST_FD, type StartReply, type StartRequest } from "../../protocol/wire/start-request.ts";

export interface StartChannel {
  /** True if a start also runs the retention sweep; a daemon does that by itself. */
  readonly sweeps: boolean;
  /** Blocks until a request arrives; null when none will. */
  request(): StartRequest | null;
  reply(answer: StartReply): void;
  /** The final record is on disk. */
  ended(final: Final): void;
}

/** A pipe carries one request. Its sender exits after the reply. */
export function pipeStartChannel(): StartChannel {
  return {
    sweeps: true,
    request() {
      const line = readLine(REQUEST_FD);
      closeQuietly(REQUEST_FD);
      return line === null ? null : (JSON.parse(line) as StartRequest);
    },
    reply(answer) {
      sendMessage(REPLY_FD, answer);
      closeQuietly(REPLY_FD);
    },
    ended() {},
  };
}

/** Reads up to a newline or the end; null when there is nothing. */
export function readLine(fd: number): string | null {
  const NEWLINE = 10;
  const parts: Uint8Array[] = [];
  for (let isOver = false; !isOver; ) {
    const block = readBlock(fd);
    parts.push(block);
    isOver = block.length === 0 || block[block.length - 1] === NEWLINE;
  }
  const line = textOf(joined(parts)).trimEnd();
  return line === "" ? null : line;
}

/** Empty when the sender is gone, for whatever reason. */
function readBlock(fd: number): Uint8Array {
  const block = new Uint8Array(16 * 1024);
  for (;;) {
    try {
      return block.subarray(0, readSync(fd, block));
    } catch (error) {
      const errno = errnoOf(error);
      // A daemon that died without reading its messages.
      if (errno === "ECONNRESET") return block.subarray(0, 0);
      if (errno !== "EAGAIN") throw error;
      pollNow(fd, POLLIN, -1);
    }
  }
}

/** Sends one message; see messageSender. */
export function sendMessage(fd: number, message: object, patienceMs = 0): boolean {
  return messageSender(fd)(message, patienceMs);
}

/**
 * Sends messages to the process that started the holder, which may be gone. A full socket (a
 * stopped daemon) is waited for up to `patienceMs`, a pipe without limit. The sender returns false
 * when a message was cut off: the reader could not parse what follows. The kind of descriptor is
 * checked now.
 */
export function messageSender(fd: number): (message: object, patienceMs: number) => boolean {
  const kind = kindAt(fd);
  if (kind !== "other" && kind !== "socket") return () => true;
  let mayBlock = kind === "socket";
  return (message, patienceMs) => {
    // Not earlier: the first message is often the reply to a request that was read in blocking
    // mode.
    if (mayBlock) setNonBlocking(fd);
    mayBlock = false;
    try {
      return writeWhole(fd, bytesOf(`${JSON.stringify(message)}\n`), patienceMs);
    } catch {
      return true; // the session is on disk all the same
    }
  };
}

function kindAt(fd: number): ReturnType<typeof kindOf> | null {
  try {
    return kindOf(fileStat(fd));
  } catch {
    return null;
  }
}

/** Writes all of it, or nothing. False when it was cut off. */
function writeWhole(fd: number, bytes: Uint8Array, patienceMs: number): boolean {
  const deadline = performance.now() + patienceMs;
  let at = 0;
  while (at < bytes.length) {
    try {
      at += writeSync(fd, bytes.subarray(at));
    } catch (error) {
      if (errnoOf(error) !== "EAGAIN") throw error;
      const left = Math.ceil(deadline - performance.now());
      if (left <= 0 || pollNow(fd, POLLOUT, left) === 0) return at === 0;
    }
  }
  return true;
}
