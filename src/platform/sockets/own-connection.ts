/**
 * Connects to sockets of this user; all of holt's connections go through here. The owners of the
 * directory and the socket file are checked first, and the listening process's user (SO_PEERCRED)
 * before the first byte is sent.
 */
import { foreignListener } from "../../protocol/wire/unsafe-path.ts";
import { adoptSocket } from "../native/adopt-socket.ts";
import { closeQuietly } from "../fs/descriptors.ts";
import { foreignUserError, ownUid, requireOwnDirectory, requireOwner } from "../fs/own-directory.ts";
import { entryStat } from "../fs/stat.ts";
import { dialUnix, peerOf } from "./unix-socket.ts";

/**
 * Connects, non-blocking. Null when no process listens. EDENIED (protocol/wire/unsafe-path.ts) when
 * another user listens there or owns the directory or the name. root counts as another user: its
 * daemon must not receive this user's environment.
 */
export function dialOwn(path: string): number | null {
  if (!requireOwnDirectory(path.slice(0, path.lastIndexOf("/")))) return null;
  const entry = entryStat(path);
  if (entry === null) return null;
  requireOwner(path, entry);
  const fd = dialUnix(path);
  if (fd === null) return null;
  const peer = peerOf(fd); // null where the platform has no SO_PEERCRED: the checks above must suffice
  if (peer === null || peer.user === ownUid()) return fd;
  closeQuietly(fd);
  throw foreignUserError(path, peer.user, foreignListener);
}

/** The same as a socket of the runtime's loop. */
export async function connectOwn(path: string, handlers: Bun.SocketHandler<undefined>): Promise<Bun.Socket | null> {
  const fd = dialOwn(path);
  return fd === null ? null : adoptSocket(fd, handlers, { halfOpen: false });
}
