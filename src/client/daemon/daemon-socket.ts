/** Dials the daemon's socket. */
import { dialOwn } from "../../platform/sockets/own-connection.ts";
import { requireSafeParent } from "../../platform/fs/own-directory.ts";
import { daemonSocketPath, type Layout } from "../../transcript/layout.ts";

/**
 * A connected descriptor, from a directory that no other user can replace; null if no daemon
 * listens.
 */
export function dialDaemonSocket(layout: Layout): number | null {
  requireSafeParent(layout.root);
  return dialOwn(daemonSocketPath(layout));
}
