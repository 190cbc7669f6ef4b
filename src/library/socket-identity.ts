/**
 * Checks that a socket is this user's. Node has no SO_PEERCRED, so the files decide: no other user may be able to replace the socket, its directory, or a
 * directory above. A missing socket is not dialled: between the check and the connection another user could put one in its place.
 */
import { lstatSync, readFileSync, realpathSync, type Stats, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { foreignOwner, isOpenToOthers, unsafePath } from "../protocol/wire/unsafe-path.ts";

const ROOT = 0;

/**
 * The socket's identity, which changes when the socket or its directory is exchanged; null when there is none. Throws EDENIED where another user owns one of
 * them, or can exchange it.
 */
export function socketIdentity(path: string): string | null {
  const full = resolve(path);
  const directory = dirname(full);
  const link = lstatSync(directory, { throwIfNoEntry: false });
  const opened = statSync(directory, { throwIfNoEntry: false }); // where a symlink leads
  if (link === undefined || opened === undefined) return null;
  const us = process.getuid?.();
  if (us !== undefined) {
    requireOwner(directory, link, [us, ROOT]);
    requireOwner(directory, opened, [us, ROOT]);
    for (const each of new Set([...upwards(directory), ...upwards(realpathSync(directory))])) requireClosed(each);
  }
  const socket = lstatSync(full, { throwIfNoEntry: false });
  if (socket === undefined) return null;
  if (us !== undefined) requireOwner(path, socket, [us]);
  return [opened, socket].map(({ dev, ino }) => `${dev}:${ino}`).join(" ");
}

/** The directory and those above it. */
function upwards(directory: string): string[] {
  const above = dirname(directory);
  return above === directory ? [directory] : [directory, ...upwards(above)];
}

function requireClosed(directory: string): void {
  if (isOpenToOthers(statSync(directory)))
    throw unsafePath(directory, "can be written to by other users, and is not sticky");
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
