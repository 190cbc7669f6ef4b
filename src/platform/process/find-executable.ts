/** Finds the executable file for a command name, as execvp(3) does. */
import { errnoOf } from "../../protocol/types/errors.ts";
import { bytesOf, joined } from "../../protocol/types/bytes.ts";
import { executionErrno } from "../fs/libc-fs.ts";
import { kindOf, pathStat } from "../fs/stat.ts";

/** Used when PATH is unset. Unlike the shells' default it leaves out the working directory. */
export const DEFAULT_PATH = bytesOf("/usr/local/bin:/usr/bin:/bin");
const HERE = bytesOf(".");
const SLASH = bytesOf("/");
const COLON = 0x3a;
const SLASH_BYTE = 0x2f;

export type SearchFailure = "missing" | "directory" | "denied";
export type ExecutableSearch = { kind: "found"; path: Uint8Array } | { kind: SearchFailure };

/**
 * `searchPath` null: PATH is unset, and DEFAULT_PATH applies. Relative paths are relative to
 * `from`, or to the working directory.
 */
export function findExecutable(name: Uint8Array, searchPath: Uint8Array | null, from?: Uint8Array): ExecutableSearch {
  let denied: ExecutableSearch | null = null;
  for (const path of candidatesOf(name, searchPath)) {
    const found = checkCandidate(path, from);
    if (found.kind === "found") return found;
    if (found.kind !== "missing") denied ??= found;
  }
  return denied ?? { kind: "missing" };
}

/** Candidate paths, in search order. */
function candidatesOf(name: Uint8Array, searchPath: Uint8Array | null): Uint8Array[] {
  if (name.includes(SLASH_BYTE)) return [name];
  return directoriesOf(searchPath ?? DEFAULT_PATH).map((directory) =>
    joined([directory.length === 0 ? HERE : directory, SLASH, name]),
  );
}

function checkCandidate(path: Uint8Array, from: Uint8Array | undefined): ExecutableSearch {
  const isRelative = path[0] !== SLASH_BYTE;
  const whole = isRelative && from !== undefined ? joined([from, SLASH, path]) : path;
  const verdict = executability(whole);
  return verdict === "ok" ? { kind: "found", path: whole } : { kind: verdict };
}

function directoriesOf(searchPath: Uint8Array): Uint8Array[] {
  const directories: Uint8Array[] = [];
  let start = 0;
  for (let end = searchPath.indexOf(COLON); end >= 0; end = searchPath.indexOf(COLON, start)) {
    directories.push(searchPath.subarray(start, end));
    start = end + 1;
  }
  return [...directories, searchPath.subarray(start)];
}

/**
 * Checks with access(2) first: most directories of a PATH lack the file, and an exception each is
 * slow.
 */
function executability(path: Uint8Array): "ok" | SearchFailure {
  const errno = executionErrno(path);
  if (errno === "ENOENT" || errno === "ENOTDIR" || errno === "ELOOP" || errno === "ENAMETOOLONG") return "missing";
  try {
    if (kindOf(pathStat(path)) === "directory") return "directory";
    return errno === null ? "ok" : "denied";
  } catch (error) {
    const why = errnoOf(error);
    return why === "EACCES" || why === "EPERM" ? "denied" : "missing";
  }
}
