/**
 * Whether something came to a directory, or went from it, since a look at it: told by its inode and the time of its last change, without reading it.
 *
 * The time is of the kernel's clock, which stands still for a tick: what changes twice within one has the same time after both. A stamp that is taken while the tick of
 * the last change may still last is therefore not `settled`, and proves nothing later. The time of change (ctime) is taken, as that of the content
 * (mtime) can be set by whoever restores a backup. A stamp is to be taken before the directory is read: what comes in between has another one.
 */
import { entryStat } from "./stat.ts";

/** The kernel's tick is 10 ms at most. */
const TICK_MS = 20;
/** Where times are kept in whole seconds, or in pairs of them. */
const COARSE_TICK_MS = 2000;

export interface DirectoryStamp {
  readonly text: string;
  readonly isSettled: boolean;
}

/** Null where there is no such directory. */
export function directoryStamp(path: string): DirectoryStamp | null {
  const now = Date.now();
  const directory = entryStat(path);
  if (directory === null) return null;
  const { ino, ctimeMs } = directory;
  return { text: `${ino} ${ctimeMs}`, isSettled: isSettled(ctimeMs, now) };
}

/** A clock that was set back leaves times that are yet to come. */
export function isSettled(changedMs: number, now: number): boolean {
  // Who keeps less than milliseconds keeps the kernel's clock as it is.
  return now - changedMs > (Number.isInteger(changedMs) ? COARSE_TICK_MS : TICK_MS);
}
