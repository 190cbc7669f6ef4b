/** Descriptors: pipes and copies that children do not inherit, flags, limits, closing. */
import { fileConstants, O_CLOEXEC } from "../native/constants.ts";
import { closeSync, openSync } from "./libc-fs.ts";
import { checked, lastErrno, libc, SystemError } from "../native/libc.ts";

/** Children get descriptors below this number. */
const FIRST_PRIVATE = 10;
const FD_CLOEXEC = 1;

/** A pipe whose ends no child inherits, numbered above the range given to children (0 to 9). */
export function privatePipe(): { readEnd: number; writeEnd: number } {
  const fds = new Int32Array(2);
  if (process.platform === "linux") checked(libc().pipe2(fds, O_CLOEXEC), "pipe2");
  else checked(libc().pipe(fds), "pipe");
  const [readEnd = -1, writeEnd = -1] = fds;
  const open = new Set([readEnd, writeEnd]);
  const aboveChildRange = (fd: number): number => {
    if (fd >= FIRST_PRIVATE && process.platform === "linux") return fd;
    const moved = moveToPrivate(fd);
    open.delete(fd);
    open.add(moved);
    return moved;
  };
  try {
    return { readEnd: aboveChildRange(readEnd), writeEnd: aboveChildRange(writeEnd) };
  } catch (error) {
    open.forEach(closeQuietly);
    throw error;
  }
}

/** `count` pipes, or none. */
export function privatePipes(count: number): ReturnType<typeof privatePipe>[] {
  const pipes: ReturnType<typeof privatePipe>[] = [];
  try {
    while (pipes.length < count) pipes.push(privatePipe());
    return pipes;
  } catch (error) {
    for (const { readEnd, writeEnd } of pipes) [readEnd, writeEnd].forEach(closeQuietly);
    throw error;
  }
}

/**
 * Moves a descriptor to a number above the children's range, not inherited. Closes the old number.
 */
export function moveToPrivate(fd: number): number {
  const moved = privateCopy(fd, FIRST_PRIVATE);
  closeSync(fd);
  return moved;
}

/** Duplicates a descriptor to a number of at least `minimum`, not inherited by children. */
export function privateCopy(fd: number, minimum: number): number {
  const F_DUPFD_CLOEXEC = process.platform === "darwin" ? 67 : 1030;
  const copy = libc().fcntl(fd, F_DUPFD_CLOEXEC, minimum);
  if (copy >= 0) return copy;
  const errno = lastErrno();
  // The kernel returns EINVAL when the limit on open files is below `minimum`.
  throw new SystemError("fcntl F_DUPFD_CLOEXEC", errno === "EINVAL" ? "EMFILE" : errno);
}

/** Sets close-on-exec. */
export function keepFromChildren(fd: number): void {
  const F_SETFD = 2;
  libc().fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/**
 * True when 0, 1 or 2 was closed when this process started: the runtime opens /dev/null there, with
 * close-on-exec.
 */
export function wasClosed(fd: number): boolean {
  const F_GETFD = 1;
  return (libc().fcntl(fd, F_GETFD, 0) & FD_CLOEXEC) !== 0;
}

/** Replaces a descriptor by /dev/null, so that the reader of its other end sees the end of file. */
export function redirectToNull(fd: number): void {
  const nowhere = openSync("/dev/null", fileConstants.O_RDWR);
  checked(libc().dup2(nowhere, fd), "dup2");
  closeSync(nowhere);
}

export function setNonBlocking(fd: number): void {
  const F_GETFL = 3;
  const F_SETFL = 4;
  const O_NONBLOCK = process.platform === "darwin" ? 4 : 0o4000;
  libc().fcntl(fd, F_SETFL, libc().fcntl(fd, F_GETFL, 0) | O_NONBLOCK);
}

/** The soft limit on open files: descriptor numbers are below it. */
export function descriptorLimit(): number {
  const RLIMIT_NOFILE = process.platform === "darwin" ? 8 : 7;
  const limits = new BigUint64Array(2);
  return libc().getrlimit(RLIMIT_NOFILE, limits) === 0 ? Number(limits[0]) : Number.POSITIVE_INFINITY;
}

/** A close that acts only once: after it the number may belong to another file. */
export function closerOf(fd: number): () => void {
  let isOpen = true;
  return () => {
    if (isOpen) closeQuietly(fd);
    isOpen = false;
  };
}

export function closeQuietly(fd: number): void {
  try {
    closeSync(fd);
  } catch {
    // already closed
  }
}
