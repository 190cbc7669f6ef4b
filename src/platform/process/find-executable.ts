/** Finds the file that a command name means, as execvp(3) would. */
import { errnoOf } from "../../protocol/types/errors.ts";
import { bytesOf, joined } from "../../protocol/types/bytes.ts";
import { executionErrno } from "../fs/libc-fs.ts";
import { kindOf, pathStat } from "../fs/stat.ts";

/** Where there is none. Without the directory that one is in, which shells put at the end of theirs. */
export const DEFAULT_PATH = bytesOf("/usr/local/bin:/usr/bin:/bin");
const HERE = bytesOf(".");
const SLASH = bytesOf("/");
const COLON = 0x3a;
const SLASH_BYTE = 0x2f;

export type SearchFailure = "missing" | "directory" | "denied";
export type ExecutableSearch = { kind: "found"; path: Uint8Array } | { kind: SearchFailure };

/** `searchPath` null: there is no PATH, and the usual one counts. What is relative is so to `from`, or to the directory that one is in. */
export function findExecutable(name: Uint8Array, searchPath: Uint8Array | null, from?: Uint8Array): ExecutableSearch {
  let denied: ExecutableSearch | null = null;
  for (const path of placesOf(name, searchPath)) {
    const found = at(path, from);
    if (found.kind === "found") return found;
    if (found.kind !== "missing") denied ??= found;
  }
  return denied ?? { kind: "missing" };
}

/** Where it may lie, in the order of the search. */
function placesOf(name: Uint8Array, searchPath: Uint8Array | null): Uint8Array[] {
  if (name.includes(SLASH_BYTE)) return [name];
  return directoriesOf(searchPath ?? DEFAULT_PATH).map((directory) =>
    joined([directory.length === 0 ? HERE : directory, SLASH, name]),
  );
}

function at(path: Uint8Array, from: Uint8Array | undefined): ExecutableSearch {
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

/** Most directories of a PATH have no such file, and that must not cost an exception each. */
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
