/** Where the session's processes listen. */
import { descriptorLink } from "../platform/awaited.ts";
import { readdirSync, readlinkSync } from "../platform/fs.ts";
import { listeningSockets, socketInode } from "../platform/network-sockets.ts";
import type { ListeningPort } from "../protocol/holder-methods.ts";

/** By port; each once, whoever else of the tree inherited it. */
export function listeningPorts(members: readonly number[]): ListeningPort[] {
  const owners = new Map<string, number>();
  const networks = new Map<string, number>();
  for (const pid of members) {
    for (const inode of socketsOf(pid)) if (!owners.has(inode)) owners.set(inode, pid);
    networks.set(networkOf(pid), pid);
  }
  if (owners.size === 0) return [];
  const found: ListeningPort[] = [];
  for (const anyone of networks.values()) {
    for (const { inode, port, address } of listeningSockets(anyone)) {
      const pid = owners.get(inode);
      if (pid !== undefined) found.push({ port, address, pid });
    }
  }
  return found.toSorted((a, b) => a.port - b.port);
}

function socketsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => socketInode(descriptorLink(pid, Number(fd))) ?? []);
  } catch {
    return []; // gone, or somebody else's
  }
}

/** Those in one network namespace see the same sockets. */
function networkOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`);
  } catch {
    return "";
  }
}
