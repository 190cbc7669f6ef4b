import { lastErrno, libc, SystemError } from "../native/libc.ts";

const LOCK_SH = 1;
const LOCK_EX = 2;
const LOCK_NB = 4;
const LOCK_UN = 8;

/** False when somebody else holds it. It lives as long as the descriptor's open file, so it proves that its owner does. */
export function tryLockExclusive(fd: number): boolean {
  return flock(fd, LOCK_EX | LOCK_NB);
}

/** False when somebody holds it exclusively. Nobody can, as long as this one is held; isLocked() does not count it. */
export function tryLockShared(fd: number): boolean {
  return flock(fd, LOCK_SH | LOCK_NB);
}

/** Shared, so that two who ask at once do not take each other for the owner. */
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
