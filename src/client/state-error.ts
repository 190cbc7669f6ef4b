/**
 * Turns an operating system error about the state directory into an EIO that names the directory,
 * the cause and a remedy. Any other error is returned unchanged.
 */
import { lstatSync, statSync } from "node:fs";
import { errnoOf, HoltError } from "../protocol/types/errors.ts";
import { stateRoot } from "../transcript/layout.ts";

const ELSEWHERE = "point HOLT_STATE_DIR somewhere else";
const FULL = `free some space, or ${ELSEWHERE}`;
const FORBIDDEN = "fix its permissions, or point HOLT_STATE_DIR to a directory of your own";
const IN_THE_WAY = `move what is in the way, or ${ELSEWHERE}`;

const HINTS: Record<string, string> = {
  ENOSPC: FULL,
  EDQUOT: FULL,
  EACCES: FORBIDDEN,
  EPERM: FORBIDDEN,
  EROFS: `it is on a read-only file system: ${ELSEWHERE}`,
  ENOTDIR: IN_THE_WAY,
  ELOOP: IN_THE_WAY,
  EEXIST: IN_THE_WAY,
  EISDIR: IN_THE_WAY,
  ENOENT: ELSEWHERE,
  EIO: `its disk may be failing: ${ELSEWHERE}`,
  ENAMETOOLONG: "point HOLT_STATE_DIR to a shorter path",
  EFBIG: "raise the limit on the size of files: `ulimit -f unlimited`",
  EMFILE: "raise the limit on open files, e.g. `ulimit -n 1024`",
  ENFILE: "the whole machine has too many files open: close some, or raise `sysctl fs.file-max`",
};

const SHOWN_CHARACTERS = 200;

/** `doing` completes "cannot …": "access the sessions". `outcome` says what happened to the work. */
export function stateError(error: unknown, doing: string, outcome?: string): unknown {
  const errno = error instanceof HoltError ? null : errnoOf(error);
  const hint = errno === null ? undefined : HINTS[errno];
  if (errno === null || hint === undefined) return error;
  const root = stateRoot();
  return new HoltError("EIO", `cannot ${doing} in ${shortened(root)}: ${causeOf(error, errno, root)}`, {
    hint: outcome === undefined ? hint : `${outcome}; ${hint}`,
    cause: error,
  });
}

function causeOf(error: unknown, errno: string, root: string): string {
  if (errno === "ENAMETOOLONG") return "its path is too long";
  const obstacle = isAboutNames(errno) ? obstacleIn(root) : null;
  return obstacle ?? (error instanceof Error ? error.message : errno);
}

function isAboutNames(errno: string): boolean {
  return HINTS[errno] === IN_THE_WAY || errno === "ENOENT";
}

/**
 * The first part of the path that exists and is not a directory, in words; null if there is none.
 */
function obstacleIn(root: string): string | null {
  for (let end = root.indexOf("/", 1); ; end = root.indexOf("/", end + 1)) {
    const part = end === -1 ? root : root.slice(0, end);
    const what = obstacleAt(part);
    if (what !== null) return `${part} is ${what}`;
    if (end === -1) return null;
  }
}

function obstacleAt(path: string): string | null {
  try {
    return statSync(path).isDirectory() ? null : "a file, not a directory";
  } catch {
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
    return isLink ? "a symlink that leads nowhere" : null;
  }
}

function shortened(path: string): string {
  return path.length <= SHOWN_CHARACTERS ? path : `${path.slice(0, SHOWN_CHARACTERS)}…`;
}
