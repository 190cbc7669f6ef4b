/** Renames a file without replacing an existing one. */
import { dlopen } from "bun:ffi";
import { cstring, lastErrno, libc, SystemError } from "../native/libc.ts";

const RENAME_NOREPLACE = 1;
/** Errors of a kernel or file system without RENAME_NOREPLACE. */
const UNSUPPORTED: readonly string[] = ["ENOSYS", "EINVAL"];

function load() {
  const args = ["int", "ptr", "int", "ptr", "u32"] as const;
  try {
    return dlopen("libc.so.6", { renameat2: { args, returns: "int" } }).symbols.renameat2;
  } catch {
    return null; // a libc without it
  }
}

function loadLink() {
  return dlopen("libc.so.6", { linkat: { args: ["int", "ptr", "int", "ptr", "int"], returns: "int" } }).symbols.linkat;
}

let rename: ReturnType<typeof load> | undefined;
let link: ReturnType<typeof loadLink> | null = null;

/** EEXIST when the name is taken, checked atomically. Falls back to link and unlink. */
export function renameNewAt(directory: number, from: Uint8Array, to: Uint8Array): void {
  const [old, name] = [cstring(from), cstring(to)];
  rename ??= load();
  if (rename?.(directory, old, directory, name, RENAME_NOREPLACE) === 0) return;
  const errno = rename === null ? "ENOSYS" : lastErrno();
  if (!UNSUPPORTED.includes(errno)) throw new SystemError("renameat2", errno);
  link ??= loadLink();
  if (link(directory, old, directory, name, 0) !== 0) throw new SystemError("linkat", lastErrno());
  libc().unlinkat(directory, old, 0);
}
