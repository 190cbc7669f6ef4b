/** Opens and checks the user's own directories: not a symlink, not another user's, mode 0700. */
import { foreignOwner, isOpenToOthers, unsafePath } from "../../protocol/wire/unsafe-path.ts";
import { errnoOf, type HoltError } from "../../protocol/types/errors.ts";
import { textOf } from "../../protocol/types/bytes.ts";
import { openDirectory, withPrivateUmask } from "./files.ts";
import { closeSync, fchmodSync, makeDirectory, readFileSync } from "./libc-fs.ts";
import { SystemError } from "../native/libc.ts";
import { entryStat, fileStat, kindOf, pathStat, type Stat } from "./stat.ts";

const ROOT = 0;

/**
 * Creates the directory or resets its mode to 0700. Throws when it is a symlink or another user's.
 */
export function ensurePrivateDirectory(path: string): void {
  closeSync(openSecured(path) ?? createPrivateDirectory(path));
}

/** The same without creating it. False when there is none. */
export function requireOwnDirectory(path: string): boolean {
  const fd = openSecured(path);
  if (fd !== null) closeSync(fd);
  return fd !== null;
}

/** Opens the directory without following a symlink. Null when there is none. */
export function openOwnDirectory(path: string): number | null {
  try {
    return openDirectory(path);
  } catch (error) {
    const entry = entryStat(path);
    // The path itself is missing: the error concerns a part before it.
    if (entry === null) throw error;
    requireOwner(path, entry);
    const errno = errnoOf(error);
    if (errno !== "ELOOP" && errno !== "ENOTDIR") throw error;
    throw unsafePath(path, "is a symlink or a file, not a directory");
  }
}

/** Creates and opens the directory. One that was created meanwhile is opened. */
export function createPrivateDirectory(path: string): number {
  withPrivateUmask(() => makeDirectory(path, 0o700));
  const fd = openSecured(path);
  if (fd === null) throw new SystemError("open", "ENOENT", path);
  return fd;
}

/**
 * Requires a parent directory in which no other user may replace entries. It may be root's, or a
 * symlink of the user or of root. Accepts a missing one.
 */
export function requireSafeParent(path: string): void {
  const entry = entryStat(path);
  if (entry === null) return;
  requireOwner(path, entry, ROOT);
  if (kindOf(entry) === "symlink") requireSafe(path, statOrNull(path));
  else requireSafe(path, entry);
}

/** `trustedUid`: another user who may own the path. */
export function requireOwner(path: string, { uid }: Pick<Stat, "uid">, trustedUid?: number): void {
  if (uid !== ownUid() && uid !== trustedUid && ownUid() !== null) throw foreignUserError(path, uid, foreignOwner);
}

/** Null on platforms without user ids. */
export function ownUid(): number | null {
  return process.getuid?.() ?? null;
}

export function foreignUserError(
  path: string,
  uid: number,
  makeError: (path: string, uid: number, readPasswd: string) => HoltError,
): HoltError {
  return makeError(path, uid, readPasswd());
}

function openSecured(path: string): number | null {
  const fd = openOwnDirectory(path);
  if (fd === null) return null;
  try {
    const stat = fileStat(fd);
    requireOwner(path, stat);
    if ((stat.mode & 0o777) !== 0o700) fchmodSync(fd, 0o700);
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

function requireSafe(path: string, stat: Stat | null): void {
  if (stat === null) return;
  requireOwner(path, stat, ROOT);
  if (ownUid() === null || !isOpenToOthers(stat)) return;
  const mode = (stat.mode & 0o7777).toString(8).padStart(4, "0");
  throw unsafePath(path, `can be written to by other users: mode ${mode}, and not sticky; \`chmod go-w\` closes it`);
}

/** Null for a dangling link. */
function statOrNull(path: string): Stat | null {
  try {
    return pathStat(path);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return null;
    throw error;
  }
}

function readPasswd(): string {
  try {
    return textOf(readFileSync("/etc/passwd"));
  } catch {
    return ""; // errors name the uid instead
  }
}
