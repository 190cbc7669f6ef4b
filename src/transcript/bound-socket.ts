import { closeQuietly } from "../platform/fs/descriptors.ts";
import { withPrivateUmask } from "../platform/fs/files.ts";
import { unlinkIfThere } from "../platform/fs/libc-fs.ts";
import { requireOwnDirectory } from "../platform/fs/own-directory.ts";
import { existenceCheck } from "../platform/fs/stat.ts";
import { listenUnix } from "../platform/sockets/unix-socket.ts";

/** It listens under that name. */
export interface BoundSocket {
  fd: number;
  path: string;
}

/** It listens there from now on, whatever a killed holder left of that name, in a directory that is this user's alone. */
export function listenAt(path: string): number {
  requireOwnDirectory(path.slice(0, path.lastIndexOf("/")));
  unlinkIfThere(path);
  return withPrivateUmask(() => listenUnix(path));
}

/**
 * Null where nobody would find it: it has lost its name, as to somebody's cleaner, or the session's record names another, as a daemon of an earlier build may have written
 * it. Then it is no more.
 */
export function keepIfBoundAt(path: string, bound: BoundSocket): BoundSocket | null {
  if (bound.path === path && existenceCheck(path)()) return bound;
  unbind(bound);
  return null;
}

/** Nobody is to find it any more. */
export function unbind({ fd, path }: BoundSocket): void {
  closeQuietly(fd);
  try {
    unlinkIfThere(path);
  } catch {
    // The next sweep tries again.
  }
}
