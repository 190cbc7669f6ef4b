/** Removes a directory tree without following links. */
import { errnoOf } from "../../protocol/types/errors.ts";
import { openDirectoryAt, unlinkAt } from "./files.ts";
import { closeSync, readdirSync } from "./libc-fs.ts";
import { cstring, lastErrno, libc, SystemError } from "../native/libc.ts";

/** A start that opened the directory before its removal may still create its lock file in it. */
const ATTEMPTS = 10;
const AT_REMOVEDIR = process.platform === "darwin" ? 0x80 : 0x200;

/** Removes an entry of `parent` and, if it is a directory, its content. */
export function removeTreeAt(parent: { fd: number; path: string }, name: string): void {
  try {
    unlinkAt(parent.fd, name);
    return;
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === "ENOENT") return;
    // POSIX and macOS return EPERM for a directory.
    if (errno !== "EISDIR" && errno !== "EPERM") throw error;
  }
  for (let attempt = 1; !removeDirectoryAt(parent, name); attempt++) {
    if (attempt === ATTEMPTS) throw new SystemError("unlinkat", "ENOTEMPTY", name);
  }
}

/** False when an entry was added meanwhile. */
function removeDirectoryAt(parent: { fd: number; path: string }, name: string): boolean {
  const fd = openDirectoryAt(parent.fd, name);
  const path = `${parent.path}/${name}`;
  try {
    // Names are read by path and removed by descriptor: after a rename, missing names are tried at
    // worst.
    for (const entry of readdirSync(path)) removeTreeAt({ fd, path }, entry);
  } finally {
    closeSync(fd);
  }
  if (libc().unlinkat(parent.fd, cstring(name), AT_REMOVEDIR) === 0) return true;
  const errno = lastErrno();
  if (errno === "ENOTEMPTY" || errno === "EEXIST") return false;
  throw new SystemError("unlinkat", errno, name);
}
