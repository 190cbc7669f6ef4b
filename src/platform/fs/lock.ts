/**
 * Locks by flock(2). A lock lives as long as the open file, so it proves that its owner is alive.
 */
import { lastErrno, libc, SystemError } from "../native/libc.ts";

const LOCK_SH = 1;
const LOCK_EX = 2;
const LOCK_NB = 4;
const LOCK_UN = 8;

/** False when another process holds the lock. */
export function tryLockExclusive(fd: number): boolean {
  return flock(fd, LOCK_EX | LOCK_NB);
}

/**
 * False when another process holds the lock exclusively. isLocked() does not count shared locks.
 */
export function tryLockShared(fd: number): boolean {
  return flock(fd, LOCK_SH | LOCK_NB);
}

/**
 * Tests with a shared lock, so that two concurrent tests do not mistake each other for the owner.
 */
export function isLocked(fd: number): boolean {
  const free = tryLockShared(fd);
  if (free) flock(fd, LOCK_UN);
  return !free;
}

function flock(fd: number, operation: number): boolean {
  for (;;) {
    if (libc().flock(fd, operation) === 0) return true;
    const errno = lastErrno();
    if (errno === "EAGAIN" || errno === "EWOULDBLOCK") return false;
    if (errno !== "EINTR") throw new SystemError("flock", errno);
  }
}
