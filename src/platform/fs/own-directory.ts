/** Directories of this user, looked at by what was opened: never a symlink, never another user's, and 0700. */
import { foreignOwner, isOpenToOthers, unsafePath } from "../../protocol/wire/unsafe-path.ts";
import { errnoOf, type HoltError } from "../../protocol/types/errors.ts";
import { textOf } from "../../protocol/types/bytes.ts";
import { openDirectory, withPrivateUmask } from "./files.ts";
import { closeSync, fchmodSync, makeDirectory, readFileSync } from "./libc-fs.ts";
import { SystemError } from "../native/libc.ts";
import { entryStat, fileStat, kindOf, pathStat, type Stat } from "./stat.ts";

const ROOT = 0;

/** Made 0700 where it is missing, brought back to it, and refused when it is a symlink or another user's. */
export function ensurePrivateDirectory(path: string): void {
  closeSync(securedDirectory(path) ?? createPrivateDirectory(path));
}

/** The same, but none is made. False when there is none. */
export function requireOwnDirectory(path: string): boolean {
  const fd = securedDirectory(path);
  if (fd !== null) closeSync(fd);
  return fd !== null;
}

/** Opened without following a link in its place. Null when there is none. */
export function openOwnDirectory(path: string): number | null {
  try {
    return openDirectory(path);
  } catch (error) {
    const entry = entryStat(path);
    // A missing path is not in the way itself: a part of the path before it may be.
    if (entry === null) throw error;
    requireOwner(path, entry);
    const errno = errnoOf(error);
    if (errno !== "ELOOP" && errno !== "ENOTDIR") throw error;
    throw unsafePath(path, "is a symlink or a file, not a directory");
  }
}

/** Makes and opens it; one that is there by now is opened. */
export function createPrivateDirectory(path: string): number {
  withPrivateUmask(() => makeDirectory(path, 0o700));
  const fd = securedDirectory(path);
  if (fd === null) throw new SystemError("open", "ENOENT", path);
  return fd;
}

/**
 * A directory in which ours are made, which may be a symlink of the user's, or root's: no third user may exchange what lies in it. Nothing when it is
 * missing.
 */
export function requireSafeParent(path: string): void {
  const entry = entryStat(path);
  if (entry === null) return;
  requireOwner(path, entry, ROOT);
  if (kindOf(entry) === "symlink") requireSafe(path, statOrNull(path));
  else requireSafe(path, entry);
}

/** `also`: another user that is trusted as much. */
export function requireOwner(path: string, { uid }: Pick<Stat, "uid">, also?: number): void {
  if (uid !== ownUid() && uid !== also && ownUid() !== null) throw foreignUserError(path, uid, foreignOwner);
}

/** Null where the platform has no users. */
export function ownUid(): number | null {
  return process.getuid?.() ?? null;
}

export function foreignUserError(
  path: string,
  uid: number,
  as: (path: string, uid: number, passwd: string) => HoltError,
): HoltError {
  return as(path, uid, passwd());
}

function securedDirectory(path: string): number | null {
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

/** Null when a link leads nowhere. */
function statOrNull(path: string): Stat | null {
  try {
    return pathStat(path);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return null;
    throw error;
  }
}

function passwd(): string {
  try {
    return textOf(readFileSync("/etc/passwd"));
  } catch {
    return ""; // the number has to do
  }
}
