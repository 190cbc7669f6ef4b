/**
 * Errors for a directory, link or socket that another user owns or can replace: nothing is sent
 * there or created in it.
 */
import { HoltError } from "../types/errors.ts";

const HINT = "nothing was sent; set HOLT_STATE_DIR to a directory of your own, with a short path";
/** Exit code of a command refused for an unsafe path. */
export const UNSAFE_EXIT = 125;

/** `why` follows the path in the message: "is a symlink". */
export function unsafePath(path: string, why: string, details: Record<string, unknown> = {}): HoltError {
  return new HoltError("EDENIED", `${path} ${why}`, { hint: HINT, details: { ...details, unsafe_path: path } });
}

/** `passwd` is the text of /etc/passwd, used to name the owner. */
export function foreignOwner(path: string, uid: number, passwd: string): HoltError {
  return unsafePath(path, `belongs to another user: ${ownerText(uid, passwd)}`, { owner_uid: uid });
}

export function foreignListener(path: string, uid: number, passwd: string): HoltError {
  return unsafePath(path, `is served by a process of another user: ${ownerText(uid, passwd)}`, { owner_uid: uid });
}

export function isUnsafePathError(error: unknown): error is HoltError {
  return error instanceof HoltError && typeof error.details["unsafe_path"] === "string";
}

const S_IWGRP = 0o020;
const S_IWOTH = 0o002;
const S_ISVTX = 0o1000;

/**
 * Whether other users can replace an entry of a directory. The sticky bit prevents it. A group
 * whose number equals the owner's counts as private to the owner, as in pam_umask(8): under umask
 * 002 every directory is writable for it.
 */
export function isOpenToOthers({ mode, uid, gid }: { mode: number; uid: number; gid: number }): boolean {
  if ((mode & S_ISVTX) !== 0) return false;
  return (mode & S_IWOTH) !== 0 || ((mode & S_IWGRP) !== 0 && gid !== uid);
}

function ownerText(uid: number, passwd: string): string {
  const name = passwd.split("\n").find((line) => line.split(":")[2] === String(uid));
  return name === undefined ? `uid ${uid}` : `uid ${uid} (${name.split(":", 1)[0]})`;
}
