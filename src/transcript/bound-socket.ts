import { closeQuietly } from "../platform/descriptors.ts";
import { unlinkIfThere } from "../platform/fs.ts";

/** It listens, under a name that is not yet the session's. */
export interface BoundSocket {
  fd: number;
  path: string;
}

/** It never became the session's. */
export function unbind({ fd, path }: BoundSocket): void {
  closeQuietly(fd);
  try {
    unlinkIfThere(path);
  } catch {
    // The next sweep tries again.
  }
}
