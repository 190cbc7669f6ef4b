/**
 * Finds descriptors above 2 that were open when this process started: `cmd <(list)`, `3>log cmd`,
 * make's job server. The command gets them under the same numbers. The runtime sets close-on-exec
 * on them and opens descriptors of its own, all anonymous. Call this before holt opens any file.
 */
import { readdirSync, readlinkSync } from "../platform/fs/libc-fs.ts";

let cached: number[] | null = null;

export function inheritedDescriptors(): readonly number[] {
  cached ??= listOpen().filter((fd) => fd > 2 && isNamed(fd));
  return cached;
}

function listOpen(): number[] {
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
    return false; // the descriptor of the listing itself, closed by now
  }
}
