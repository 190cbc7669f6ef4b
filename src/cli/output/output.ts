/**
 * Writing to the caller's stdout and stderr.
 *
 * Writes are synchronous: a slow reader then holds this process where it stands, so that no amount of output piles up in
 * memory, and order between the two streams is the order of the calls. `process.stdout` would buffer without bound.
 */
import { writeSync } from "../../platform/fs/libc-fs.ts";
import { libc } from "../../platform/native/libc.ts";
import { POLLERR, POLLHUP, POLLOUT, pollNow } from "../../platform/native/poller.ts";
import { errnoOf, HoltError } from "../../protocol/types/errors.ts";
import { safeJson } from "../../terminal/text/safe-json.ts";

/** Whoever read our output has gone. Ends the command, quietly. */
export class BrokenPipe extends Error {
  override readonly name = "BrokenPipe";
}

/** What a shell shows for a command ended by SIGPIPE, as `cat` would be. */
export const BROKEN_PIPE_EXIT = 141;

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
    if (!(error instanceof BrokenPipe)) unaided(text);
  }
}

/** Where libc cannot be used, that is what has to be said. */
function unaided(text: string): void {
  try {
    process.getBuiltinModule("node:fs").writeSync(STDERR, text);
  } catch {
    // Where libc cannot be had, that is what there is to say; else there is nowhere left to say it.
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

/** `--json`: indented for a person, one line for a program. */
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

/** Not to be taken for a fault of the state directory, which the same errors may come from. */
function cannotWrite(fd: number, errno: string | null, cause: unknown): unknown {
  if (errno === null) return cause;
  return new HoltError("EIO", `cannot write to ${fd === STDOUT ? "stdout" : "stderr"}: ${errno}`, { cause });
}

/** A pipe or terminal that somebody else made non-blocking: wait as a blocking write would have. */
function waitUntilWritable(fd: number): void {
  pollNow(fd, POLLOUT, 1000);
}

/** Whether nobody can read our stdout any more, found without writing to it. */
export function isStdoutGone(): boolean {
  if (process.platform === "win32") return false;
  return (pollNow(STDOUT, 0) & (POLLERR | POLLHUP)) !== 0;
}
