/** Finds what a command name means before anything is started, as execvp(3) would, so that a failure can be told exactly. */
import { O_PATH } from "../platform/native/constants.ts";
import { closeQuietly } from "../platform/fs/descriptors.ts";
import { findExecutable, type SearchFailure } from "../platform/process/find-executable.ts";
import { openSync, pathOfDescriptor } from "../platform/fs/libc-fs.ts";
import { SystemError } from "../platform/native/libc.ts";
import { type ErrorCode, errnoOf, HoltError } from "../protocol/types/errors.ts";
import { startsWith, textOf } from "../protocol/types/bytes.ts";

/** Exit codes of the shell for what could not be started. */
export const NOT_FOUND = 127;
export const NOT_EXECUTABLE = 126;
/** Not the command's fault: env(1) and timeout(1) say 125 when they cannot do their own part. */
export const OUT_OF_RESOURCES = 125;
const CODES: Record<number, ErrorCode> = {
  [NOT_FOUND]: "ENOTFOUND",
  [NOT_EXECUTABLE]: "EDENIED",
  [OUT_OF_RESOURCES]: "ERLIMIT",
};

export class SpawnFailure extends HoltError {
  readonly exitCode: number;

  constructor(exitCode: number, message: string, hint?: string, code = CODES[exitCode] ?? "EDENIED") {
    super(code, message, hint === undefined ? {} : { hint });
    this.exitCode = exitCode;
  }
}

/** The path to execute. `name` is bytes: it may be no valid UTF-8. */
export function resolveCommand(name: Uint8Array, searchPath: Uint8Array | null): Uint8Array {
  const shown = textOf(name);
  if (name.length === 0) throw new SpawnFailure(NOT_FOUND, "the command is an empty string");
  const search = findExecutable(name, searchPath);
  if (search.kind === "found") return search.path;
  throw failureFor(search.kind, shown);
}

/**
 * Throws where that path leads to another file than the one that was judged, whose real path `judged` is. It is not executed by its real path: a script
 * would be told that name, and a process be listed by it.
 */
export function requireFile(path: Uint8Array, judged: Uint8Array): void {
  if (process.platform !== "linux") return;
  const fd = openSync(path, O_PATH);
  try {
    const real = pathOfDescriptor(fd);
    if (real.length === judged.length && startsWith(real, judged)) return;
    throw new SpawnFailure(NOT_EXECUTABLE, `${textOf(path)} is another file than the one that was allowed`);
  } finally {
    closeQuietly(fd);
  }
}

/** What execve refused although the file looked right: a missing interpreter, too many arguments, a foreign format; or no room for more. */
export function spawnFailure(error: unknown, command: string): SpawnFailure {
  const errno = errnoOf(error) ?? String(error);
  const isFull = error instanceof SystemError && error.syscall === "posix_openpt";
  if (isFull)
    return new SpawnFailure(OUT_OF_RESOURCES, `cannot start ${command}: no terminal is left (${errno})`, PTY_HINT);
  if (errno === "ECHILD") {
    const why = "the leader of its terminal was killed before it had said that it runs";
    return new SpawnFailure(OUT_OF_RESOURCES, `cannot start ${command}: ${why}`, "what it had begun was ended", "EIO");
  }
  const hint = OUT_OF[errno];
  if (hint !== undefined) return new SpawnFailure(OUT_OF_RESOURCES, `cannot start ${command}: ${errno}`, hint);
  const why =
    errno === "ENOENT" ? "its interpreter is missing" : errno === "E2BIG" ? "the arguments are too long" : errno;
  return new SpawnFailure(NOT_EXECUTABLE, `cannot execute ${command}: ${why}`);
}

const PTY_HINT = "sysctl kernel.pty.max says how many there may be";
const OUT_OF: Record<string, string> = {
  EMFILE: "ulimit -n says how many files may be open; on a terminal holt needs 100",
  ENFILE: "sysctl fs.file-max says how many files may be open",
  EAGAIN: "ulimit -u says how many processes you may have",
  ENOMEM: "free says how much memory is left",
};

function failureFor(verdict: SearchFailure, shown: string): SpawnFailure {
  switch (verdict) {
    case "missing":
      return shown.includes("/")
        ? new SpawnFailure(NOT_FOUND, `no such file: ${shown}`)
        : new SpawnFailure(NOT_FOUND, `command not found: ${shown}`, "it is in no directory of PATH");
    case "directory":
      return new SpawnFailure(NOT_EXECUTABLE, `${shown} is a directory`);
    case "denied":
      return new SpawnFailure(NOT_EXECUTABLE, `permission denied: ${shown}`, `chmod +x makes a file executable`);
  }
}
