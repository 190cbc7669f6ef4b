/**
 * Connections to sockets of this user: the one way in which holt dials. The directory and the name are checked first, and the listening
 * process's user (SO_PEERCRED) before the first byte is sent.
 */
import { foreignListener } from "../../protocol/wire/unsafe-path.ts";
import { adoptSocket } from "../native/adopt-socket.ts";
import { closeQuietly } from "../fs/descriptors.ts";
import { foreignUserError, ownUid, requireOwnDirectory, requireOwner } from "../fs/own-directory.ts";
import { entryStat } from "../fs/stat.ts";
import { dialUnix, peerOf } from "./unix-socket.ts";

/**
 * Not blocking. Null when no process listens there; EDENIED (protocol/wire/unsafe-place.ts) where another user's process does, or another user owns the
 * directory or the name. root counts as another user: a daemon of root's has no business in this user's state directory, and what is sent has this user's environment in it.
 */
export function dialOwn(path: string): number | null {
  if (!requireOwnDirectory(path.slice(0, path.lastIndexOf("/")))) return null;
  const entry = entryStat(path);
  if (entry === null) return null;
  requireOwner(path, entry);
  const fd = dialUnix(path);
  if (fd === null) return null;
  const peer = peerOf(fd); // null where the platform does not tell: then the owners above have to do
  if (peer === null || peer.user === ownUid()) return fd;
  closeQuietly(fd);
  throw foreignUserError(path, peer.user, foreignListener);
}

/** The same, for the runtime's loop. */
export async function connectOwn(path: string, handlers: Bun.SocketHandler<undefined>): Promise<Bun.Socket | null> {
  const fd = dialOwn(path);
  return fd === null ? null : adoptSocket(fd, handlers, { halfOpen: false });
}
