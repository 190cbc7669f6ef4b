/** Takes an exclusive lock despite processes that only probe it. */
import { tryLockExclusive } from "../platform/fs/lock.ts";

/** A probe holds the lock for a moment, which can be long on a loaded machine. */
const DEADLINE_MS = 1000;

/** Takes the exclusive lock, waiting for probes; false if another process keeps it. */
export function lockWithRetry(fd: number): boolean {
  const deadline = performance.now() + DEADLINE_MS;
  while (!tryLockExclusive(fd)) {
    if (performance.now() > deadline) return false;
    Bun.sleepSync(1);
  }
  return true;
}
