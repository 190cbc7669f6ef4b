/**
 * The file calls of a holder, straight from libc, under the names that node:fs gives them: loading that module takes
 * 0.8 ms of each start and 0.4 MB of each session for as long as it lives. What a file is says stat.ts.
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
const SHORT_ENTRY = 64;
const AT_FDCWD = process.platform === "darwin" ? -2 : -100;

export type Path = string | Uint8Array;

/** Not inherited by children, whatever the flags say. */
export function openSync(path: Path, flags: number, mode = 0): number {
  const name = cstring(path);
  return again(() => libc().open(name, flags | O_CLOEXEC, mode), "open", path);
}

/** Null when there is none. */
export function openIfThere(path: Path, flags: number): number | null {
  const name = cstring(path);
  const fd = signalSafe(() => libc().open(name, flags | O_CLOEXEC, 0));
  if (fd >= 0) return fd;
  const errno = lastErrno();
  if (errno === "ENOENT") return null;
  throw new SystemError("open", errno, shownName(path));
}

export function closeSync(fd: number): void {
  // EINTR too: on Linux the descriptor is gone, and the number may be somebody else's by now.
  if (libc().close(fd) === 0) return;
  const errno = lastErrno();
  if (errno !== "EINTR") throw new SystemError("close", errno);
}

/** At `position`, or where the file stands. How many bytes were read; 0 at its end. */
export function readSync(fd: number, buffer: Uint8Array, position?: number): number {
  if (buffer.length === 0) return 0;
  return again(
    () =>
      position === undefined
        ? libc().read(fd, buffer, buffer.length)
        : libc().pread(fd, buffer, buffer.length, position),
    "read",
  );
}

/** At `position`, or where the file stands. How many bytes were written. */
export function writeSync(fd: number, data: Uint8Array | string, position?: number): number {
  const bytes = typeof data === "string" ? bytesOf(data) : data;
  if (bytes.length === 0) return 0;
  return again(
    () =>
      position === undefined ? libc().write(fd, bytes, bytes.length) : libc().pwrite(fd, bytes, bytes.length, position),
    "write",
  );
}

export function fsyncSync(fd: number): void {
  again(() => libc().fsync(fd), "fsync");
}

export function ftruncateSync(fd: number, length: number): void {
  again(() => libc().ftruncate(fd, length), "ftruncate");
}

/** Blocks for the first bytes of a file, which stays as long as it is. Nothing where the system, or the disk, has none to give away. */
export function reserveBlocks(fd: number, bytes: number): void {
  const FALLOC_FL_KEEP_SIZE = 1;
  if (process.platform === "linux") libc().fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, bytes);
}

export function fchmodSync(fd: number, mode: number): void {
  again(() => libc().fchmod(fd, mode), "fchmod");
}

export function renameSync(from: string, to: string): void {
  checked(libc().rename(cstring(from), cstring(to)), "rename", to);
}

/** Nothing when there is none. */
export function unlinkIfThere(path: string): void {
  if (libc().unlink(cstring(path)) === 0) return;
  const errno = lastErrno();
  if (errno !== "ENOENT") throw new SystemError("unlink", errno, path);
}

/** False when something has that name already. */
export function makeDirectory(path: string, mode: number): boolean {
  const errno = mkdirErrno(path, mode);
  if (errno !== null && errno !== "EEXIST") throw new SystemError("mkdir", errno, path);
  return errno === null;
}

/** False when there is something in it, or in use of it. Nothing when there is none. */
export function removeDirectoryIfFree(path: string): boolean {
  if (libc().rmdir(cstring(path)) === 0) return true;
  const errno = lastErrno();
  if (errno === "EBUSY" || errno === "ENOTEMPTY") return false;
  if (errno !== "ENOENT") throw new SystemError("rmdir", errno, path);
  return true;
}

/** With the parents that are missing. */
export function makeDirectories(path: string, mode: number): void {
  const errno = mkdirErrno(path, mode);
  if (errno === null) return;
  const parent = path.slice(0, path.lastIndexOf("/"));
  if (errno === "ENOENT" && parent !== "") {
    makeDirectories(parent, mode);
    const second = mkdirErrno(path, mode);
    if (second === null) return;
    // Where the parent is there, it is the file system that has no such thing (/proc).
    if (second !== "EEXIST") throw new SystemError("mkdir", second, path);
  } else if (errno !== "EEXIST") throw new SystemError("mkdir", errno, path);
  if (kindOf(pathStat(path)) !== "directory") throw new SystemError("mkdir", "EEXIST", path);
}

function mkdirErrno(path: string, mode: number): string | null {
  return libc().mkdir(cstring(path), mode) === 0 ? null : lastErrno();
}

/** From first to last byte, also of files in /proc, which do not tell their size. */
export function readFileSync(path: string): Uint8Array {
  const fd = openSync(path, fileConstants.O_RDONLY);
  try {
    return readToEnd(fd);
  } finally {
    closeSync(fd);
  }
}

/** A file, or what comes through a pipe until nobody has its other end. */
export function readToEnd(fd: number): Uint8Array {
  const blocks: Uint8Array[] = [];
  for (let size = Math.max(BLOCK_BYTES, fileStat(fd).size + 1); ; size = Math.min(size * 2, 1 << 20)) {
    const block = new Uint8Array(size);
    const length = readSync(fd, block);
    if (length === 0) return joined(blocks);
    blocks.push(block.subarray(0, length));
  }
}

/** Of a file of /proc that is kept open, a list of short entries: as it is now. What leaves room for another entry is its end. */
export function readFromStart(fd: number): Uint8Array {
  const blocks: Uint8Array[] = [];
  for (let at = 0; ; ) {
    const block = new Uint8Array(BLOCK_BYTES);
    const length = readSync(fd, block, at);
    blocks.push(block.subarray(0, length));
    if (length < BLOCK_BYTES - SHORT_ENTRY) return blocks.length === 1 ? block.subarray(0, length) : joined(blocks);
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

/** Empty where there is no such directory, or it may not be read. */
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

/** Of what is open: where it lies, links resolved. */
export function pathOfDescriptor(fd: number): Uint8Array {
  return readlinkBytes(`/proc/self/fd/${fd}`);
}

/** Also to a directory whose name is no UTF-8. */
export function changeDirectory(path: Path): void {
  checked(libc().chdir(cstring(path)), "chdir", shownName(path));
}

/** Why it cannot be executed by our real user and group, as a shell asks before it starts a command; null: it can, or it is a directory. */
export function executionErrno(path: Path): string | null {
  return libc().access(cstring(path), X_OK) === 0 ? null : lastErrno();
}

/** By our real user and group. */
export function isWritable(path: Path): boolean {
  return libc().access(cstring(path), W_OK) === 0;
}

/** False only when there is nothing of that name: whatever else keeps us from it, somebody else will tell. */
export function exists(path: Path): boolean {
  return libc().access(cstring(path), F_OK) === 0 || lastErrno() !== "ENOENT";
}

/** Its times become now. */
export function touch(path: string): void {
  checked(libc().utimensat(AT_FDCWD, cstring(path), null, 0), "utimensat", path);
}

function again(call: () => number | bigint, syscall: string, subject?: Path): number {
  const result = signalSafe(() => Number(call()));
  if (result >= 0) return result;
  throw new SystemError(syscall, lastErrno(), subject === undefined ? undefined : shownName(subject));
}
