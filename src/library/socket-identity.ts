/**
 * Checks that a socket belongs to this user. Node has no SO_PEERCRED, so the files decide: no other
 * user may be able to replace the socket, its directory, or a directory above. A missing socket is
 * not connected to: another user could create one between check and connection.
 */
import { lstatSync, readFileSync, realpathSync, type Stats, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { foreignOwner, isOpenToOthers, unsafePath } from "../protocol/wire/unsafe-path.ts";

const ROOT = 0;

/**
 * The identity of the socket, which changes when it or its directory is replaced; null if it is
 * missing. Throws EDENIED if another user owns or can replace one of them.
 */
export function socketIdentity(path: string): string | null {
  const full = resolve(path);
  const directory = dirname(full);
  const link = lstatSync(directory, { throwIfNoEntry: false });
  const opened = statSync(directory, { throwIfNoEntry: false }); // the target, for a symlink
  if (link === undefined || opened === undefined) return null;
  const uid = process.getuid?.();
  if (uid !== undefined) {
    requireOwner(directory, link, [uid, ROOT]);
    requireOwner(directory, opened, [uid, ROOT]);
    for (const each of new Set([...ancestors(directory), ...ancestors(realpathSync(directory))]))
      requireNotWritableByOthers(each);
  }
  const socket = lstatSync(full, { throwIfNoEntry: false });
  if (socket === undefined) return null;
  if (uid !== undefined) requireOwner(path, socket, [uid]);
  return [opened, socket].map(({ dev, ino }) => `${dev}:${ino}`).join(" ");
}

/** The directory and its parents. */
function ancestors(directory: string): string[] {
  const above = dirname(directory);
  return above === directory ? [directory] : [directory, ...ancestors(above)];
}

function requireNotWritableByOthers(directory: string): void {
  if (isOpenToOthers(statSync(directory)))
    throw unsafePath(directory, "can be written to by other users, and is not sticky");
}

function requireOwner(path: string, { uid: owner }: Stats, trusted: readonly number[]): void {
  if (!trusted.includes(owner)) throw foreignOwner(path, owner, passwd());
}

function passwd(): string {
  try {
    return readFileSync("/etc/passwd", "latin1");
  } catch {
    return ""; // the error then shows the number
  }
}
