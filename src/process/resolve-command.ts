/** Finds what a command name means before anything is started, as execvp(3) would, so that a failure can be told exactly. */
import { isExecutable } from "../platform/fs.ts";
import { kindOf, pathStat } from "../platform/stat.ts";
import { type ErrorCode, errnoOf, HoltError } from "../protocol/errors.ts";
import { bytesOf, joined, textOf } from "../protocol/bytes.ts";

const DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";

/** Exit codes of the shell for what could not be started. */
export const NOT_FOUND = 127;
export const NOT_EXECUTABLE = 126;
/** Not the command's fault: env(1) and timeout(1) say 125 when they cannot do their own part. */
export const NO_ROOM = 125;
const CODES: Record<number, ErrorCode> = {
  [NOT_FOUND]: "ENOTFOUND",
  [NOT_EXECUTABLE]: "EDENIED",
  [NO_ROOM]: "ERLIMIT",
};

export class SpawnFailure extends HoltError {
  readonly exitCode: number;

  constructor(exitCode: number, message: string, hint?: string) {
    super(CODES[exitCode] ?? "EDENIED", message, hint === undefined ? {} : { hint });
    this.exitCode = exitCode;
  }
}

/** The path to execute. `name` is bytes: it may be no valid UTF-8. */
export function resolveCommand(name: Uint8Array, searchPath: string | undefined): Uint8Array {
  const shown = textOf(name);
  if (name.length === 0) throw new SpawnFailure(NOT_FOUND, "the command is an empty string");
  if (name.includes(0x2f)) {
    const verdict = executability(name);
    if (verdict === "ok") return name;
    throw failureFor(verdict, shown);
  }
  let denied: Verdict | null = null;
  for (const directory of (searchPath ?? DEFAULT_PATH).split(":")) {
    const candidate = joined([bytesOf(`${directory === "" ? "." : directory}/`), name]);
    const verdict = executability(candidate);
    if (verdict === "ok") return candidate;
    if (verdict !== "missing") denied ??= verdict;
  }
  throw failureFor(denied ?? "missing", shown);
}

/** The directory is looked at first: a bad one would otherwise be reported as a missing command. */
export function requireDirectory(path: string): void {
  try {
    if (kindOf(pathStat(path)) === "directory") return;
  } catch (error) {
    throw new SpawnFailure(
      NOT_EXECUTABLE,
      `cannot enter the working directory ${path}: ${errnoOf(error) ?? "unknown error"}`,
    );
  }
  throw new SpawnFailure(NOT_EXECUTABLE, `the working directory ${path} is not a directory`);
}

type Verdict = "ok" | "missing" | "directory" | "denied";

function executability(path: Uint8Array): Verdict {
  try {
    if (kindOf(pathStat(path)) === "directory") return "directory";
    return isExecutable(path) ? "ok" : "denied";
  } catch (error) {
    const errno = errnoOf(error);
    return errno === "EACCES" || errno === "EPERM" ? "denied" : "missing";
  }
}

function failureFor(verdict: Exclude<Verdict, "ok">, shown: string): SpawnFailure {
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
