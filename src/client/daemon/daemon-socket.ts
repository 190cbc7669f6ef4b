import { dialOwn } from "../../platform/sockets/own-connection.ts";
import { requireSafeParent } from "../../platform/fs/own-directory.ts";
import { daemonSocketPath, type Layout } from "../../transcript/layout.ts";

/** A connection to the daemon of a state directory that no other user can exchange. Null when none listens. */
export function dialDaemonSocket(layout: Layout): number | null {
  requireSafeParent(layout.root);
  return dialOwn(daemonSocketPath(layout));
}
