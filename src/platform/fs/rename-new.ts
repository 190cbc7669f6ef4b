/** A rename that replaces nothing. */
import { dlopen } from "bun:ffi";
import { cstring, lastErrno, libc, SystemError } from "../native/libc.ts";

const RENAME_NOREPLACE = 1;
/** The system, or the file system, does not know how. */
const MISSING: readonly string[] = ["ENOSYS", "EINVAL"];

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

/** EEXIST where something has that name, also when it came there this moment. */
export function renameNewAt(directory: number, from: Uint8Array, to: Uint8Array): void {
  const [old, name] = [cstring(from), cstring(to)];
  rename ??= load();
  if (rename?.(directory, old, directory, name, RENAME_NOREPLACE) === 0) return;
  const errno = rename === null ? "ENOSYS" : lastErrno();
  if (!MISSING.includes(errno)) throw new SystemError("renameat2", errno);
  link ??= loadLink();
  if (link(directory, old, directory, name, 0) !== 0) throw new SystemError("linkat", lastErrno());
  libc().unlinkat(directory, old, 0);
}
