/**
 * Whether a socket is this user's, before it is dialled. Node does not tell who listens (SO_PEERCRED), so the files have to: the directory is opened and
 * looked at, and nobody else may exchange what lies in it.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, type Stats } from "node:fs";
import { dirname, resolve } from "node:path";
import { foreignOwner, isOpenToOthers, unsafePlace } from "../protocol/unsafe-place.ts";

const ROOT = 0;

/** Throws EDENIED where another user owns it, or its directory, or may put another in its place. A socket that is not there is left to the dialling. */
export function requireOwnSocket(path: string): void {
  const us = process.getuid?.();
  if (us === undefined) return;
  const directory = dirname(resolve(path));
  const link = lstatSync(directory, { throwIfNoEntry: false });
  if (link === undefined) return;
  requireOwner(directory, link, [us, ROOT]); // of a symlink, if it is one
  const opened = openedStat(directory);
  requireOwner(directory, opened, [us, ROOT]);
  if (isOpenToOthers(opened)) throw unsafePlace(directory, "can be written to by other users, and is not sticky");
  const socket = lstatSync(path, { throwIfNoEntry: false });
  if (socket !== undefined) requireOwner(path, socket, [us]);
}

function openedStat(directory: string): Stats {
  const fd = openSync(directory, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    return fstatSync(fd);
  } finally {
    closeSync(fd);
  }
}

function requireOwner(path: string, { uid }: Stats, trusted: readonly number[]): void {
  if (!trusted.includes(uid)) throw foreignOwner(path, uid, passwd());
}

function passwd(): string {
  try {
    return readFileSync("/etc/passwd", "latin1");
  } catch {
    return ""; // the number has to do
  }
}
