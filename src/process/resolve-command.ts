/**
 * Resolves a command name as execvp(3) does before a process is started, so that errors are exact.
 */
import { O_PATH } from "../platform/native/constants.ts";
import { closeQuietly } from "../platform/fs/descriptors.ts";
import { findExecutable, type SearchFailure } from "../platform/process/find-executable.ts";
import { openSync, pathOfDescriptor } from "../platform/fs/libc-fs.ts";
import { SystemError } from "../platform/native/libc.ts";
import { type ErrorCode, errnoOf, HoltError } from "../protocol/types/errors.ts";
import { startsWith, textOf } from "../protocol/types/bytes.ts";

/** The shell's exit codes for commands that could not be started. */
export const NOT_FOUND = 127;
export const NOT_EXECUTABLE = 126;
/** Not the command's fault. env(1) and timeout(1) exit with 125 when they fail themselves. */
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

/** Returns the path to execute. `name` is bytes, since it may not be valid UTF-8. */
export function resolveCommand(name: Uint8Array, searchPath: Uint8Array | null): Uint8Array {
  const shown = textOf(name);
  if (name.length === 0) throw new SpawnFailure(NOT_FOUND, "the command is an empty string");
  const search = findExecutable(name, searchPath);
  if (search.kind === "found") return search.path;
  throw failureFor(search.kind, shown);
}

/**
 * Throws when `path` no longer leads to the file that the policy checked, whose real path is
 * `judged`. The file is not executed by its real path, since a script would see that name as its
 * own.
 */
export function requireFile(path: Uint8Array, judged: Uint8Array): void {
  if (process.platform !== "linux") return;
  const fd = openSync(path, O_PATH);
  try {
    const real = pathOfDescriptor(fd);
    if (real.length === judged.length && startsWith(real, judged)) return;
    throw new SpawnFailure(NOT_EXECUTABLE, `not the file that the policy allowed: ${textOf(path)}`);
  } finally {
    closeQuietly(fd);
  }
}

/**
 * Explains a failed spawn of an existing executable: a missing interpreter, too many arguments, a
 * foreign format, or a system limit.
 */
export function spawnFailure(error: unknown, command: string): SpawnFailure {
  const errno = errnoOf(error) ?? String(error);
  const isOutOfTerminals = error instanceof SystemError && error.syscall === "posix_openpt";
  if (isOutOfTerminals)
    return new SpawnFailure(
      OUT_OF_RESOURCES,
      `cannot start ${command}: no pseudo-terminal is left (${errno})`,
      PTY_HINT,
    );
  if (errno === "ECHILD") {
    const why = "its leader process was killed before it reported the start";
    return new SpawnFailure(
      OUT_OF_RESOURCES,
      `cannot start ${command}: ${why}`,
      "processes already started were ended",
      "EIO",
    );
  }
  const hint = LIMIT_HINTS[errno];
  if (hint !== undefined) return new SpawnFailure(OUT_OF_RESOURCES, `cannot start ${command}: ${errno}`, hint);
  const why =
    errno === "ENOENT" ? "its interpreter is missing" : errno === "E2BIG" ? "the arguments are too long" : errno;
  return new SpawnFailure(NOT_EXECUTABLE, `cannot execute ${command}: ${why}`);
}

const PTY_HINT = "`sysctl kernel.pty.max` shows the limit";
const LIMIT_HINTS: Record<string, string> = {
  EMFILE: "`ulimit -n` shows the limit on open files; on a terminal holt needs 100",
  ENFILE: "`sysctl fs.file-max` shows the system's limit on open files",
  EAGAIN: "`ulimit -u` shows the limit on processes",
  ENOMEM: "`free` shows how much memory is left",
};

function failureFor(verdict: SearchFailure, shown: string): SpawnFailure {
  switch (verdict) {
    case "missing":
      return shown.includes("/")
        ? new SpawnFailure(NOT_FOUND, `no such file: ${shown}`)
        : new SpawnFailure(NOT_FOUND, `command not found: ${shown}`, "no directory of PATH contains it");
    case "directory":
      return new SpawnFailure(NOT_EXECUTABLE, `${shown} is a directory`);
    case "denied":
      return new SpawnFailure(NOT_EXECUTABLE, `permission denied: ${shown}`, "`chmod +x` makes a file executable");
  }
}
