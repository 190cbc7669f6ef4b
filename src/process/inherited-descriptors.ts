/**
 * Descriptors beyond 0, 1 and 2 that were open when we were started: `cmd <(list)`, `3>log cmd`, a make's job server. The command is to
 * have them under the same numbers. The runtime has closed them to children by then, and has opened some of its own, all of them
 * nameless ones; so ask before we open anything ourselves.
 */
import { readdirSync, readlinkSync } from "../platform/fs/libc-fs.ts";

let known: number[] | null = null;

export function inheritedDescriptors(): readonly number[] {
  known ??= listed().filter((fd) => fd > 2 && isNamed(fd));
  return known;
}

function listed(): number[] {
  try {
    return readdirSync("/proc/self/fd").map(Number);
  } catch {
    return [];
  }
}

function isNamed(fd: number): boolean {
  try {
    return !/^(anon_inode:|\/proc\/\d+\/fd)/.test(readlinkSync(`/proc/self/fd/${fd}`));
  } catch {
    return false; // the listing's own
  }
}
