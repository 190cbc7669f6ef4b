/**
 * Locates open directories and files by the identity of the directories above them, not by name.
 */
import { fileConstants, O_CLOEXEC, O_PATH } from "../native/constants.ts";
import { closeQuietly } from "./descriptors.ts";
import { openIfThere, pathOfDescriptor } from "./libc-fs.ts";
import { cstring, lastErrno, libc, SystemError } from "../native/libc.ts";
import { entryStatAt, fileStat, isSameFile, type Stat } from "./stat.ts";

const { O_DIRECTORY } = fileConstants;
const UP = cstring("..");
const SLASH = 0x2f;

/** The directory itself first, the root last. A mount counts at its mount point. */
export function ancestorsOf(directory: number): Stat[] {
  const ancestors = [fileStat(directory)];
  let at = directory;
  try {
    for (;;) {
      const parent = libc().openat(at, UP, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
      if (parent < 0) throw new SystemError("openat", lastErrno(), "..");
      if (at !== directory) closeQuietly(at);
      at = parent;
      const stat = fileStat(parent);
      if (isSameFile(stat, ancestors.at(-1) ?? null)) return ancestors;
      ancestors.push(stat);
    }
  } finally {
    if (at !== directory) closeQuietly(at);
  }
}

/**
 * The directory of an open file, which the caller closes, and the file's name in it. ENOENT: the
 * file was moved or removed meanwhile.
 */
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
