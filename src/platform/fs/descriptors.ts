import { fileConstants, O_CLOEXEC } from "../native/constants.ts";
import { closeSync, openSync } from "./libc-fs.ts";
import { checked, lastErrno, libc, SystemError } from "../native/libc.ts";

/** A child is given those below it. */
const LEAST = 10;
const FD_CLOEXEC = 1;

/** A pipe whose ends no child inherits, numbered above those that a child is given (0 to 9). */
export function privatePipe(): { readEnd: number; writeEnd: number } {
  const fds = new Int32Array(2);
  if (process.platform === "linux") checked(libc().pipe2(fds, O_CLOEXEC), "pipe2");
  else checked(libc().pipe(fds), "pipe");
  const [readEnd = -1, writeEnd = -1] = fds;
  const open = new Set([readEnd, writeEnd]);
  const up = (fd: number): number => {
    if (fd >= LEAST && process.platform === "linux") return fd;
    const moved = moveToPrivate(fd);
    open.delete(fd);
    open.add(moved);
    return moved;
  };
  try {
    return { readEnd: up(readEnd), writeEnd: up(writeEnd) };
  } catch (error) {
    open.forEach(closeQuietly);
    throw error;
  }
}

/** As many, or none. */
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

/** The same under a number above those that a child is given, and no child's. */
export function moveToPrivate(fd: number): number {
  const moved = privateCopy(fd, LEAST);
  closeSync(fd);
  return moved;
}

/** The same open file under a number of at least `least`, and no child's. */
export function privateCopy(fd: number, least: number): number {
  const F_DUPFD_CLOEXEC = process.platform === "darwin" ? 67 : 1030;
  const copy = libc().fcntl(fd, F_DUPFD_CLOEXEC, least);
  if (copy >= 0) return copy;
  const errno = lastErrno();
  // Where the limit is below the first number that is asked for, the kernel calls the number invalid.
  throw new SystemError("fcntl F_DUPFD_CLOEXEC", errno === "EINVAL" ? "EMFILE" : errno);
}

/** No child that is started from now on gets it. */
export function keepFromChildren(fd: number): void {
  const F_SETFD = 2;
  libc().fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/** Whether 0, 1 or 2 was closed when we were started: the runtime has opened /dev/null there since, and keeps that from children. */
export function wasClosed(fd: number): boolean {
  const F_GETFD = 1;
  return (libc().fcntl(fd, F_GETFD, 0) & FD_CLOEXEC) !== 0;
}

/** From now on that number leads nowhere; whoever reads the other end of what it was sees its end. */
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

/** The numbers of descriptors are below this. */
export function descriptorLimit(): number {
  const RLIMIT_NOFILE = process.platform === "darwin" ? 8 : 7;
  const limits = new BigUint64Array(2);
  return libc().getrlimit(RLIMIT_NOFILE, limits) === 0 ? Number(limits[0]) : Number.POSITIVE_INFINITY;
}

/** Closes it once, however often it is called: the number may be somebody else's by the second time. */
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
