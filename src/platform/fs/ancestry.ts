/** Where a directory lies, told by what the directories on the way up are and not by what they are called. */
import { fileConstants, O_CLOEXEC, O_PATH } from "../native/constants.ts";
import { closeQuietly } from "./descriptors.ts";
import { openIfThere, pathOfDescriptor } from "./libc-fs.ts";
import { cstring, lastErrno, libc, SystemError } from "../native/libc.ts";
import { entryStatAt, fileStat, isSameFile, type Stat } from "./stat.ts";

const { O_DIRECTORY } = fileConstants;
const UP = cstring("..");
const SLASH = 0x2f;

/** The directory itself first, the root of the file system last. A mount is passed by where it is mounted. */
export function ancestorsOf(directory: number): Stat[] {
  const lineage = [fileStat(directory)];
  let at = directory;
  try {
    for (;;) {
      const parent = libc().openat(at, UP, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
      if (parent < 0) throw new SystemError("openat", lastErrno(), "..");
      if (at !== directory) closeQuietly(at);
      at = parent;
      const stat = fileStat(parent);
      if (isSameFile(stat, lineage.at(-1) ?? null)) return lineage;
      lineage.push(stat);
    }
  } finally {
    if (at !== directory) closeQuietly(at);
  }
}

/** The directory that an open file lies in, which the caller closes, and its name there. ENOENT: it was moved or removed just now. */
export function directoryAndName(fd: number): { directory: number; name: Uint8Array } {
  const path = pathOfDescriptor(fd);
  const cut = path.lastIndexOf(SLASH);
  const name = path.subarray(cut + 1);
  const directory = openIfThere(path.subarray(0, Math.max(1, cut)), O_PATH | O_DIRECTORY);
  if (directory === null) throw new SystemError("open", "ENOENT");
  if (isSameFile(fileStat(fd), entryStatAt(directory, name))) return { directory, name };
  closeQuietly(directory);
  throw new SystemError("open", "ENOENT");
}
