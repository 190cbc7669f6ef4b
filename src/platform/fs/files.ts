/**
 * Opens files in a trusted directory so that neither a symlink nor a planted special file can lead
 * outside. Paths are relative to the directory's descriptor, and the last part is never followed.
 */
import { fileConstants, O_CLOEXEC } from "../native/constants.ts";
import { signalSafe } from "../native/eintr.ts";
import { closeSync, openIfThere } from "./libc-fs.ts";
import { checked, cstring, lastErrno, libc, SystemError } from "../native/libc.ts";
import { fileStat, kindOf } from "./stat.ts";

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY, O_TRUNC } = fileConstants;

export type OpenMode = "read" | "write" | "create" | "create_new";

const FLAGS: Record<OpenMode, number> = {
  read: O_RDONLY,
  write: O_RDWR,
  create: O_RDWR | O_CREAT,
  create_new: O_WRONLY | O_CREAT | O_EXCL | O_TRUNC,
};

/**
 * Opens a directory that is not a symlink (ELOOP or ENOTDIR otherwise). Null when there is none.
 */
export function openDirectory(path: string): number | null {
  return openIfThere(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
}

/** The same for an entry of an open directory; throws when there is none. */
export function openDirectoryAt(directory: number, name: string): number {
  const flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  return checked(libc().openat(directory, cstring(name), flags, 0), "openat", name);
}

/** Opens a regular file in `directory`. ELOOP for a symlink, EINVAL for any other special file. */
export function openFileAt(directory: number, name: string, mode: OpenMode): number {
  const fd = openIfThereAt(directory, name, mode);
  if (fd === null) throw new SystemError("openat", "ENOENT", name);
  return fd;
}

/** The same; null when there is no such file. */
export function openIfThereAt(directory: number, name: string, mode: OpenMode): number | null {
  if (name.includes("/") || name.includes("\0") || name === "." || name === "..") {
    throw new SystemError("openat", "EINVAL", JSON.stringify(name));
  }
  // O_NONBLOCK: a FIFO planted under an artifact's name must not hang the open. No effect on a
  // file.
  const flags = FLAGS[mode] | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  const bytes = cstring(name);
  const open = (): number | string => {
    const opened = signalSafe(() => libc().openat(directory, bytes, flags, 0o600));
    return opened < 0 ? lastErrno() : opened;
  };
  const fd = (flags & O_CREAT) === 0 ? open() : withPrivateUmask(open);
  if (fd === "ENOENT") return null;
  if (typeof fd === "string") throw new SystemError("openat", fd, name);
  if (kindOf(fileStat(fd)) === "file") return fd;
  closeSync(fd);
  throw new SystemError("openat", "EINVAL", `${name} (not a regular file)`);
}

/** False when the name is taken. */
export function makeDirectoryAt(directory: number, name: string): boolean {
  const errno = withPrivateUmask(() => (libc().mkdirat(directory, cstring(name), 0o700) === 0 ? null : lastErrno()));
  if (errno !== null && errno !== "EEXIST") throw new SystemError("mkdirat", errno, name);
  return errno === null;
}

export function renameAt(directory: number, from: string, to: string): void {
  checked(libc().renameat(directory, cstring(from), directory, cstring(to)), "renameat", to);
}

export function unlinkAt(directory: number, name: string): void {
  checked(libc().unlinkat(directory, cstring(name), 0), "unlinkat", name);
}

/** Runs `make` with umask 077, so that modes 0700 and 0600 are exact; restores the umask. */
export function withPrivateUmask<T>(make: () => T): T {
  const before = process.umask(0o077);
  try {
    return make();
  } finally {
    process.umask(before);
  }
}
