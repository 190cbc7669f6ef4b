/** Whoever told a holder on its own what to start, and hears what became of it. */
import { closeQuietly, setNonBlocking } from "../../platform/fs/descriptors.ts";
import { readSync, writeSync } from "../../platform/fs/libc-fs.ts";
import { fileStat, kindOf } from "../../platform/fs/stat.ts";
import { POLLIN, POLLOUT, pollNow } from "../../platform/native/poller.ts";
import { bytesOf, joined, textOf } from "../../protocol/types/bytes.ts";
import { errnoOf } from "../../protocol/types/errors.ts";
import type { Final } from "../../protocol/types/session.ts";
import { REPLY_FD, REQUEST_FD, type StartReply, type StartRequest } from "../../protocol/wire/start-request.ts";

export interface StartChannel {
  /** Whether a start also looks for what retention is to remove; a daemon does that by itself. */
  readonly sweeps: boolean;
  /** Blocks until there is one; null when there will never be one. */
  request(): StartRequest | null;
  reply(answer: StartReply): void;
  /** The session's last word, which is on disk. */
  ended(final: Final): void;
}

/** Who asks on a pipe wants one session, and goes once it is there. */
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

/** Up to a newline or the end; null when there is nothing. */
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

/** Nothing where nobody is left to say anything, however they went. */
function readBlock(fd: number): Uint8Array {
  const block = new Uint8Array(16 * 1024);
  for (;;) {
    try {
      return block.subarray(0, readSync(fd, block));
    } catch (error) {
      const errno = errnoOf(error);
      if (errno === "ECONNRESET") return block.subarray(0, 0); // a daemon that died without having read what it was told
      if (errno !== "EAGAIN") throw error;
      pollNow(fd, POLLIN, -1);
    }
  }
}

/** Says one thing; see tellerOn. */
export function sendMessage(fd: number, message: object, patienceMs = 0): boolean {
  return messageSender(fd)(message, patienceMs);
}

/**
 * Whoever asked may be gone. A daemon may have been stopped, with its socket full: it is waited for that long, where a pipe is waited for as long
 * as it takes. False when it was told half of it: whatever is said next would not be understood. What it is told on is looked at now.
 */
export function messageSender(fd: number): (message: object, patienceMs: number) => boolean {
  const kind = kindAt(fd);
  if (kind !== "other" && kind !== "socket") return () => true;
  let mayBlock = kind === "socket";
  return (message, patienceMs) => {
    if (mayBlock) setNonBlocking(fd); // not before: what is said first is often an answer, and the question was waited for
    mayBlock = false;
    try {
      return written(fd, bytesOf(`${JSON.stringify(message)}\n`), patienceMs);
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

/** All of it, or nothing. */
function written(fd: number, bytes: Uint8Array, patienceMs: number): boolean {
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
