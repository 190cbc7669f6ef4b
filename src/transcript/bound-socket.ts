/** Binds a unix socket at a path and removes it again. */
import { closeQuietly } from "../platform/fs/descriptors.ts";
import { withPrivateUmask } from "../platform/fs/files.ts";
import { unlinkIfThere } from "../platform/fs/libc-fs.ts";
import { requireOwnDirectory } from "../platform/fs/own-directory.ts";
import { existenceCheck } from "../platform/fs/stat.ts";
import { listenUnix } from "../platform/sockets/unix-socket.ts";

/** A listening socket and its path. */
export interface BoundSocket {
  fd: number;
  path: string;
}

/**
 * Listens at the path, in a directory that only this user can write to. A file left there by a
 * killed holder is removed first.
 */
export function listenAt(path: string): number {
  requireOwnDirectory(path.slice(0, path.lastIndexOf("/")));
  unlinkIfThere(path);
  return withPrivateUmask(() => listenUnix(path));
}

/**
 * Keeps a bound socket only if clients can find it at `path`. Otherwise it is closed: its file was
 * removed, or the session's record names another path, as a daemon of an earlier build may have
 * written it.
 */
export function keepIfBoundAt(path: string, bound: BoundSocket): BoundSocket | null {
  if (bound.path === path && existenceCheck(path)()) return bound;
  unbind(bound);
  return null;
}

/** Closes the socket and removes its file. */
export function unbind({ fd, path }: BoundSocket): void {
  closeQuietly(fd);
  try {
    unlinkIfThere(path);
  } catch {
    // The next sweep tries again.
  }
}
