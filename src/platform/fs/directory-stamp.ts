/**
 * Detects whether a directory's entries changed, by its inode and ctime, without reading it.
 *
 * Two changes within one tick of the kernel's clock leave the same time. A stamp taken within a
 * tick of the last change is not settled and must not be trusted later. ctime is used because a
 * backup tool can set mtime. Take the stamp before reading the directory, so that later changes
 * differ.
 */
import { entryStat } from "./stat.ts";

/** A kernel tick is 10 ms at most. */
const TICK_MS = 20;
/** For file systems that keep times in steps of one or two seconds. */
const COARSE_TICK_MS = 2000;

export interface DirectoryStamp {
  readonly text: string;
  readonly isSettled: boolean;
}

/** Null when there is no such directory. */
export function directoryStamp(path: string): DirectoryStamp | null {
  const now = Date.now();
  const directory = entryStat(path);
  if (directory === null) return null;
  const { ino, ctimeMs } = directory;
  return { text: `${ino} ${ctimeMs}`, isSettled: isSettled(ctimeMs, now) };
}

/** Times in the future, left by a clock that was set back, are never settled. */
export function isSettled(changedMs: number, now: number): boolean {
  // A fraction of a millisecond shows that the file system keeps the kernel's full precision.
  return now - changedMs > (Number.isInteger(changedMs) ? COARSE_TICK_MS : TICK_MS);
}
