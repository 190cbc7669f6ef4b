import { tryLockExclusive } from "../platform/fs/lock.ts";

/** Those who ask hold it for a moment each; on a loaded machine a moment can be long. */
const DEADLINE_MS = 1000;

/** The exclusive lock, past those who only ask whether it is held; false when somebody keeps it. */
export function lockWithRetry(fd: number): boolean {
  const deadline = performance.now() + DEADLINE_MS;
  while (!tryLockExclusive(fd)) {
    if (performance.now() > deadline) return false;
    Bun.sleepSync(1);
  }
  return true;
}
