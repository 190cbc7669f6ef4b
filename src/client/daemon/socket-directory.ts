import { daemonSocketPath, type Layout } from "../../transcript/layout.ts";

/** Where sockets lie; elsewhere than in the state directory when its path is too long for one. */
export function socketDirectoryOf(layout: Layout): { path: string; isElsewhere: boolean } {
  const socket = daemonSocketPath(layout);
  const path = socket.slice(0, socket.lastIndexOf("/"));
  return { path, isElsewhere: path !== layout.run };
}
