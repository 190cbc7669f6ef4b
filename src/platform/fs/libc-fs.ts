/**
 * File calls straight from libc, under their names in node:fs. Loading node:fs would add 0.8 ms to
 * each start and 0.4 MB to each holder. stat.ts has the stat calls.
 */
import { CString } from "bun:ffi";
import { fileConstants, O_CLOEXEC } from "../native/constants.ts";
import { signalSafe } from "../native/eintr.ts";
import { checked, cstring, lastErrno, libc, shownName, SystemError } from "../native/libc.ts";
import { fileStat, kindOf, pathStat } from "./stat.ts";
import { bytesOf, joined, textOf } from "../../protocol/types/bytes.ts";

const F_OK = 0;
const X_OK = 1;
const W_OK = 2;
const BLOCK_BYTES = 4096;
const MAX_ENTRY_BYTES = 64;
const AT_FDCWD = process.platform === "darwin" ? -2 : -100;

export type Path = string | Uint8Array;

/** Always close-on-exec. */
export function openSync(path: Path, flags: number, mode = 0): number {
  const name = cstring(path);
  return retried(() => libc().open(name, flags | O_CLOEXEC, mode), "open", path);
}

/** Null when there is no such file. */
export function openIfThere(path: Path, flags: number): number | null {
  const name = cstring(path);
  const fd = signalSafe(() => libc().open(name, flags | O_CLOEXEC, 0));
  if (fd >= 0) return fd;
  const errno = lastErrno();
  if (errno === "ENOENT") return null;
  throw new SystemError("open", errno, shownName(path));
}

export function closeSync(fd: number): void {
  // No retry after EINTR: Linux has closed the descriptor, and the number may be in use again.
  if (libc().close(fd) === 0) return;
  const errno = lastErrno();
  if (errno !== "EINTR") throw new SystemError("close", errno);
}

/** Reads at `position`, or at the file's offset. Returns the bytes read; 0 at the end. */
export function readSync(fd: number, buffer: Uint8Array, position?: number): number {
  if (buffer.length === 0) return 0;
  return retried(
    () =>
      position === undefined
        ? libc().read(fd, buffer, buffer.length)
        : libc().pread(fd, buffer, buffer.length, position),
    "read",
  );
}

/** Writes at `position`, or at the file's offset. Returns the bytes written. */
export function writeSync(fd: number, data: Uint8Array | string, position?: number): number {
  const bytes = typeof data === "string" ? bytesOf(data) : data;
  if (bytes.length === 0) return 0;
  return retried(
    () =>
      position === undefined ? libc().write(fd, bytes, bytes.length) : libc().pwrite(fd, bytes, bytes.length, position),
    "write",
  );
}

export function fsyncSync(fd: number): void {
  retried(() => libc().fsync(fd), "fsync");
}

export function ftruncateSync(fd: number, length: number): void {
  retried(() => libc().ftruncate(fd, length), "ftruncate");
}

/** Allocates disk blocks without changing the file's length. Has no effect where that fails. */
export function reserveBlocks(fd: number, bytes: number): void {
  const FALLOC_FL_KEEP_SIZE = 1;
  if (process.platform === "linux") libc().fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, bytes);
}

export function fchmodSync(fd: number, mode: number): void {
  retried(() => libc().fchmod(fd, mode), "fchmod");
}

export function renameSync(from: string, to: string): void {
  checked(libc().rename(cstring(from), cstring(to)), "rename", to);
}

/** Ignores a missing file. */
export function unlinkIfThere(path: string): void {
  if (libc().unlink(cstring(path)) === 0) return;
  const errno = lastErrno();
  if (errno !== "ENOENT") throw new SystemError("unlink", errno, path);
}

/** False when the name is taken. */
export function makeDirectory(path: string, mode: number): boolean {
  const errno = mkdirErrno(path, mode);
  if (errno !== null && errno !== "EEXIST") throw new SystemError("mkdir", errno, path);
  return errno === null;
}

/** False when the directory is not empty or in use. True when it is missing. */
export function removeDirectoryIfFree(path: string): boolean {
  if (libc().rmdir(cstring(path)) === 0) return true;
  const errno = lastErrno();
  if (errno === "EBUSY" || errno === "ENOTEMPTY") return false;
  if (errno !== "ENOENT") throw new SystemError("rmdir", errno, path);
  return true;
}

/** Creates a directory and its missing parents. */
export function makeDirectories(path: string, mode: number): void {
  const errno = mkdirErrno(path, mode);
  if (errno === null) return;
  const parent = path.slice(0, path.lastIndexOf("/"));
  if (errno === "ENOENT" && parent !== "") {
    makeDirectories(parent, mode);
    const second = mkdirErrno(path, mode);
    if (second === null) return;
    // The parent exists now, so the file system itself refuses new directories (/proc).
    if (second !== "EEXIST") throw new SystemError("mkdir", second, path);
  } else if (errno !== "EEXIST") throw new SystemError("mkdir", errno, path);
  if (kindOf(pathStat(path)) !== "directory") throw new SystemError("mkdir", "EEXIST", path);
}

function mkdirErrno(path: string, mode: number): string | null {
  return libc().mkdir(cstring(path), mode) === 0 ? null : lastErrno();
}

/** Reads a whole file, also from /proc, where sizes are unknown. */
export function readFileSync(path: string): Uint8Array {
  const fd = openSync(path, fileConstants.O_RDONLY);
  try {
    return readToEnd(fd);
  } finally {
    closeSync(fd);
  }
}

/** Reads a file, or a pipe until its other end is closed. */
export function readToEnd(fd: number): Uint8Array {
  const blocks: Uint8Array[] = [];
  for (let size = Math.max(BLOCK_BYTES, fileStat(fd).size + 1); ; size = Math.min(size * 2, 1 << 20)) {
    const block = new Uint8Array(size);
    const length = readSync(fd, block);
    if (length === 0) return joined(blocks);
    blocks.push(block.subarray(0, length));
  }
}

/**
 * Reads the current content of an open /proc file that lists short entries. A read that leaves room
 * for another entry was the last.
 */
export function readFromStart(fd: number): Uint8Array {
  const blocks: Uint8Array[] = [];
  for (let at = 0; ; ) {
    const block = new Uint8Array(BLOCK_BYTES);
    const length = readSync(fd, block, at);
    blocks.push(block.subarray(0, length));
    if (length < BLOCK_BYTES - MAX_ENTRY_BYTES) return blocks.length === 1 ? block.subarray(0, length) : joined(blocks);
    at += length;
  }
}

export function writeAll(fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes.subarray(at));
}

/** The names in a directory. */
export function readdirSync(path: string): string[] {
  // d_name in struct dirent: after d_ino, d_off, d_reclen and d_type; macOS has d_namlen as well.
  const NAME_AT = process.platform === "darwin" ? 21 : 19;
  const stream = libc().opendir(cstring(path));
  if (stream === null) throw new SystemError("opendir", lastErrno(), path);
  try {
    const names: string[] = [];
    for (let entry = libc().readdir(stream); entry !== null; entry = libc().readdir(stream)) {
      const name = new CString(entry, NAME_AT);
      if (name !== "." && name !== "..") names.push(name);
    }
    return names;
  } finally {
    libc().closedir(stream);
  }
}

/** The names in a directory; empty when it is missing or not readable. */
export function entriesIn(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

export function readlinkSync(path: string): string {
  return textOf(readlinkBytes(path));
}

export function readlinkBytes(path: Path): Uint8Array {
  const target = new Uint8Array(BLOCK_BYTES);
  const length = checked(libc().readlink(cstring(path), target, target.length), "readlink", shownName(path));
  return target.subarray(0, length);
}

/** The real path of an open file. */
export function pathOfDescriptor(fd: number): Uint8Array {
  return readlinkBytes(`/proc/self/fd/${fd}`);
}

/** Accepts a name that is not UTF-8. */
export function changeDirectory(path: Path): void {
  checked(libc().chdir(cstring(path)), "chdir", shownName(path));
}

/**
 * The errno of access(X_OK) for the real user and group, as in shells; null for success.
 * Directories pass.
 */
export function executionErrno(path: Path): string | null {
  return libc().access(cstring(path), X_OK) === 0 ? null : lastErrno();
}

/** For the real user and group. */
export function isWritable(path: Path): boolean {
  return libc().access(cstring(path), W_OK) === 0;
}

/** False only for ENOENT. Other errors are left to the call that uses the file. */
export function exists(path: Path): boolean {
  return libc().access(cstring(path), F_OK) === 0 || lastErrno() !== "ENOENT";
}

/** Sets the file's times to now. */
export function touch(path: string): void {
  checked(libc().utimensat(AT_FDCWD, cstring(path), null, 0), "utimensat", path);
}

function retried(call: () => number | bigint, syscall: string, subject?: Path): number {
  const result = signalSafe(() => Number(call()));
  if (result >= 0) return result;
  throw new SystemError(syscall, lastErrno(), subject === undefined ? undefined : shownName(subject));
}
