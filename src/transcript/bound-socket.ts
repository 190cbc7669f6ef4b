import { closeQuietly } from "../platform/descriptors.ts";
import { withPrivateUmask } from "../platform/files.ts";
import { renameSync, unlinkIfThere } from "../platform/fs.ts";
import { listenUnix } from "../platform/unix-socket.ts";

/** It listens under that name. */
export interface BoundSocket {
  fd: number;
  path: string;
}

/** It listens there from now on, whatever a killed holder left of that name. */
export function listenAt(path: string): number {
  unlinkIfThere(path);
  return withPrivateUmask(() => listenUnix(path));
}

/** Whoever connects finds it by the file, whatever name that was bound under. What a killed holder left of the new name is replaced. Null where that cannot be. */
export function nameAs({ fd, path }: BoundSocket, name: string): number | null {
  try {
    renameSync(path, name);
    return fd;
  } catch {
    closeQuietly(fd); // somebody's cleaner was there
    return null;
  }
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
