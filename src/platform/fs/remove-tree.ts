import { errnoOf } from "../../protocol/types/errors.ts";
import { openDirectoryAt, unlinkAt } from "./files.ts";
import { closeSync, readdirSync } from "./libc-fs.ts";
import { cstring, lastErrno, libc, SystemError } from "../native/libc.ts";

/** A start that found the directory before it was taken away may still put its lock into it. */
const ATTEMPTS = 10;
const AT_REMOVEDIR = process.platform === "darwin" ? 0x80 : 0x200;

/** An entry of a directory and, when it is a directory, all that is in it. Links are removed, never followed. */
export function removeTreeAt(parent: { fd: number; path: string }, name: string): void {
  try {
    unlinkAt(parent.fd, name);
    return;
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === "ENOENT") return;
    // EPERM is what POSIX, and macOS, say of a directory.
    if (errno !== "EISDIR" && errno !== "EPERM") throw error;
  }
  for (let attempt = 1; !removeDirectoryAt(parent, name); attempt++) {
    if (attempt === ATTEMPTS) throw new SystemError("unlinkat", "ENOTEMPTY", name);
  }
}

/** False when something was put into it meanwhile. */
function removeDirectoryAt(parent: { fd: number; path: string }, name: string): boolean {
  const fd = openDirectoryAt(parent.fd, name);
  const path = `${parent.path}/${name}`;
  try {
    // Names are read by path and removed by descriptor: at worst, names are tried that are not there.
    for (const entry of readdirSync(path)) removeTreeAt({ fd, path }, entry);
  } finally {
    closeSync(fd);
  }
  if (libc().unlinkat(parent.fd, cstring(name), AT_REMOVEDIR) === 0) return true;
  const errno = lastErrno();
  if (errno === "ENOTEMPTY" || errno === "EEXIST") return false;
  throw new SystemError("unlinkat", errno, name);
}
