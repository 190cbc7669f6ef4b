/** File metadata by statx(2). */
import { signalSafe } from "../native/eintr.ts";
import { checked, cstring, lastErrno, libc, shownName, SystemError } from "../native/libc.ts";

export interface Stat {
  dev: number;
  ino: number;
  mode: number;
  uid: number;
  gid: number;
  size: number;
  mtimeMs: number;
  /** With fractions of a millisecond, where the file system keeps them. */
  ctimeMs: number;
}

type Kind = "file" | "directory" | "symlink" | "socket" | "block_device" | "other";

const AT_FDCWD = -100;
const AT_SYMLINK_NOFOLLOW = 0x100;
const AT_EMPTY_PATH = 0x1000;
const STATX_BASIC_STATS = 0x7ff;
/** struct statx, whose layout is the same on every architecture. */
const STATX_BYTES = 256;
const NOTHING = cstring("");
/** Shared: each call fills it and reads it before the next. */
const statBytes = new Uint8Array(STATX_BYTES);
const statView = new DataView(statBytes.buffer);

export function fileStat(fd: number): Stat {
  if (process.platform !== "linux") return nodeFs().fstatSync(fd);
  return statx({ directory: fd, path: NOTHING, flags: AT_EMPTY_PATH, subject: `descriptor ${fd}` });
}

/** Follows symlinks. */
export function pathStat(path: string | Uint8Array): Stat {
  if (process.platform !== "linux") return nodeFs().statSync(typeof path === "string" ? path : Buffer.from(path));
  return statx({ directory: AT_FDCWD, path: cstring(path), flags: 0, subject: shownName(path) });
}

/** Does not follow a symlink. Null when there is no such entry. */
export function entryStat(path: string): Stat | null {
  if (process.platform !== "linux") return nodeFs().lstatSync(path, { throwIfNoEntry: false }) ?? null;
  return entryStatAt(AT_FDCWD, path);
}

/**
 * A fast, repeatable check for an entry, with the name prepared once. False only when it is
 * missing.
 */
export function existenceCheck(path: string, directory = AT_FDCWD): () => boolean {
  if (process.platform !== "linux") return () => true;
  const name = cstring(path);
  return () => libc().statx(directory, name, AT_SYMLINK_NOFOLLOW, 0, statBytes) === 0 || lastErrno() !== "ENOENT";
}

/** The same as entryStat, for an entry of an open directory. */
export function entryStatAt(directory: number, name: string | Uint8Array): Stat | null {
  if (process.platform !== "linux") throw new Error("not on this platform");
  const path = cstring(name);
  const result = signalSafe(() => libc().statx(directory, path, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, statBytes));
  if (result === 0) return parseStat();
  const why = lastErrno();
  if (why === "ENOENT" || why === "ENOTDIR") return null;
  throw new SystemError("statx", why, shownName(name));
}

/** Runs `act`, which writes to `fd`, and restores the file's mtime. */
export function preservingMtime<T>(fd: number, act: () => T): T {
  if (process.platform !== "linux") return act();
  const UTIME_OMIT = 0x3ffffffen;
  fileStat(fd);
  const times = new BigInt64Array([
    0n,
    UTIME_OMIT,
    statView.getBigInt64(0x70, true),
    BigInt(statView.getUint32(0x78, true)),
  ]);
  const result = act();
  libc().utimensat(AT_FDCWD, cstring(`/proc/self/fd/${fd}`), times, 0);
  return result;
}

export function kindOf({ mode }: Stat): Kind {
  switch (mode & 0o170000) {
    case 0o100000:
      return "file";
    case 0o040000:
      return "directory";
    case 0o120000:
      return "symlink";
    case 0o140000:
      return "socket";
    case 0o060000:
      return "block_device";
    default:
      return "other";
  }
}

export function isSameFile(a: Stat, b: Stat | null): boolean {
  return a.ino === b?.ino && a.dev === b.dev;
}

function statx(of: { directory: number; path: Uint8Array; flags: number; subject: string }): Stat {
  const { statx: call } = libc();
  checked(
    signalSafe(() => call(of.directory, of.path, of.flags, STATX_BASIC_STATS, statBytes)),
    "statx",
    of.subject,
  );
  return parseStat();
}

function parseStat(): Stat {
  return {
    mode: statView.getUint16(0x1c, true),
    uid: statView.getUint32(0x14, true),
    gid: statView.getUint32(0x18, true),
    ino: Number(statView.getBigUint64(0x20, true)),
    size: Number(statView.getBigInt64(0x28, true)),
    mtimeMs: Number(statView.getBigInt64(0x70, true)) * 1000 + Math.floor(statView.getUint32(0x78, true) / 1e6),
    ctimeMs: Number(statView.getBigInt64(0x60, true)) * 1000 + statView.getUint32(0x68, true) / 1e6,
    // Major and minor number together identify the device.
    dev: statView.getUint32(0x88, true) * 2 ** 32 + statView.getUint32(0x8c, true),
  };
}

function nodeFs(): ReturnType<typeof process.getBuiltinModule<"node:fs">> {
  return process.getBuiltinModule("node:fs");
}
