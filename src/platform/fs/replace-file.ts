/** Replaces a file atomically: a reader gets all of the old content or all of the new. */
import { fileConstants, O_CLOEXEC } from "../native/constants.ts";
import { closeQuietly } from "./descriptors.ts";
import { fchmodSync, writeAll } from "./libc-fs.ts";
import { checked, cstring, lastErrno, libc, SystemError } from "../native/libc.ts";
import { entryStatAt, kindOf } from "./stat.ts";
import { bytesOf } from "../../protocol/types/bytes.ts";

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = fileConstants;
const PERMISSIONS = 0o777;
const DEFAULT_PERMISSIONS = 0o644;

/**
 * `permissions` null keeps the existing file's. A symlink is refused (ELOOP): the rename would
 * replace it.
 */
export function replaceFileAt(
  directory: number,
  name: Uint8Array,
  bytes: Uint8Array,
  permissions: number | null,
): void {
  const old = entryStatAt(directory, name);
  const kind = old === null ? "file" : kindOf(old);
  if (kind !== "file") throw new SystemError("write", REFUSALS[kind] ?? "EINVAL");
  const mode = permissions ?? (old === null ? DEFAULT_PERMISSIONS : old.mode & PERMISSIONS);
  const temporary = bytesOf(`.holt-${crypto.randomUUID()}`);
  const fd = libc().openat(directory, cstring(temporary), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600);
  if (fd < 0) throw new SystemError("openat", lastErrno());
  try {
    writeAll(fd, bytes);
    fchmodSync(fd, mode);
    checked(libc().renameat(directory, cstring(temporary), directory, cstring(name)), "renameat");
  } catch (error) {
    libc().unlinkat(directory, cstring(temporary), 0);
    throw error;
  } finally {
    closeQuietly(fd);
  }
}

const REFUSALS: Readonly<Record<string, string>> = { directory: "EISDIR", symlink: "ELOOP" };
