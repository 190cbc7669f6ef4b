/** The directory of the daemon's and the holders' sockets. */
import { daemonSocketPath, type Layout } from "../../transcript/layout.ts";

/** Outside the state directory if that path is too long for a socket address. */
export function socketDirectoryOf(layout: Layout): { path: string; isElsewhere: boolean } {
  const socket = daemonSocketPath(layout);
  const path = socket.slice(0, socket.lastIndexOf("/"));
  return { path, isElsewhere: path !== layout.run };
}
