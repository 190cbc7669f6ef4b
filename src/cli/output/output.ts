/**
 * Writes to stdout and stderr.
 *
 * Writes are synchronous: a slow reader blocks this process, so output does not pile up in memory,
 * and the two streams keep the order of the calls. `process.stdout` would buffer without bound.
 */
import { writeSync } from "../../platform/fs/libc-fs.ts";
import { libc } from "../../platform/native/libc.ts";
import { POLLERR, POLLHUP, POLLOUT, pollNow } from "../../platform/native/poller.ts";
import { errnoOf, HoltError } from "../../protocol/types/errors.ts";
import { safeJson } from "../../terminal/text/safe-json.ts";

/** The reader of stdout closed it: the command ends without a message. */
export class BrokenPipe extends Error {
  override readonly name = "BrokenPipe";
}

const SIGPIPE = 13;
/** The exit code that a shell reports for a command that SIGPIPE ended. */
export const BROKEN_PIPE_EXIT = 128 + SIGPIPE;

const STDOUT = 1;
const STDERR = 2;
const encoder = new TextEncoder();

export function writeOut(data: string | Uint8Array): void {
  writeAll(STDOUT, typeof data === "string" ? encoder.encode(data) : data);
}

export function writeErr(text: string): void {
  try {
    writeAll(STDERR, encoder.encode(text));
  } catch (error) {
    if (!(error instanceof BrokenPipe)) writeErrWithoutLibc(text);
  }
}

/** Prints the error even if libc cannot be loaded, since that may be the very error. */
function writeErrWithoutLibc(text: string): void {
  try {
    process.getBuiltinModule("node:fs").writeSync(STDERR, text);
  } catch {
    // If libc is loaded, both writes failed because of stderr itself: the text is dropped.
    if (!hasLibc()) process.stderr.write(text);
  }
}

function hasLibc(): boolean {
  try {
    libc();
    return true;
  } catch {
    return false;
  }
}

/** `--json`: indented on a terminal, otherwise on one line. */
export function writeJson(value: unknown, options: { tty: boolean }): void {
  writeOut(`${safeJson(value, options.tty ? 2 : undefined)}\n`);
}

function writeAll(fd: number, bytes: Uint8Array): void {
  let at = 0;
  while (at < bytes.length) {
    try {
      at += writeSync(fd, bytes.subarray(at));
    } catch (error) {
      const errno = errnoOf(error);
      if (errno === "EPIPE") throw new BrokenPipe();
      if (errno !== "EAGAIN") throw cannotWrite(fd, errno, error);
      waitUntilWritable(fd);
    }
  }
}

/** Names the stream, since the same errno can come from the state directory. */
function cannotWrite(fd: number, errno: string | null, cause: unknown): unknown {
  if (errno === null) return cause;
  return new HoltError("EIO", `cannot write to ${fd === STDOUT ? "stdout" : "stderr"}: ${errno}`, { cause });
}

/**
 * Another process may have made the pipe or terminal non-blocking: waits as a blocking write would.
 */
function waitUntilWritable(fd: number): void {
  pollNow(fd, POLLOUT, 1000);
}

/** True when the reader of stdout has closed it; found out by polling, so nothing is written. */
export function isStdoutClosed(): boolean {
  if (process.platform === "win32") return false;
  return (pollNow(STDOUT, 0) & (POLLERR | POLLHUP)) !== 0;
}
