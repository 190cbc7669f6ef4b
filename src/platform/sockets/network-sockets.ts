/** The network's sockets, as /proc/PID/net lists them for that process's network namespace. */
import { readFileSync } from "../fs/libc-fs.ts";
import { textOf } from "../../protocol/types/bytes.ts";

export interface ListeningSocket {
  inode: string;
  address: string;
  port: number;
}

const LISTENS = "0A";

/** TCP sockets that listen, on IPv4 and IPv6. */
export function listeningSockets(pid: number): ListeningSocket[] {
  const found: ListeningSocket[] = [];
  for (const table of ["tcp", "tcp6"]) {
    for (const { local, state, inode } of rows(pid, table)) {
      const [address = "", port = ""] = local.split(":");
      if (state === LISTENS) found.push({ inode, address: addressFrom(address), port: Number.parseInt(port, 16) });
    }
  }
  return found;
}

/** Inodes of all that may bring something over the network. */
export function networkInodes(pid: number): Set<string> {
  const inodes = new Set<string>();
  for (const table of ["tcp", "tcp6", "udp", "udp6", "raw", "raw6"])
    for (const { inode } of rows(pid, table)) inodes.add(inode);
  return inodes;
}

/** "127" of "socket:[127]"; null of anything else. */
export function socketInode(link: string | null): string | null {
  return /^socket:\[(\d+)\]$/.exec(link ?? "")?.[1] ?? null;
}

function* rows(pid: number, table: string): Generator<{ local: string; state: string; inode: string }> {
  let text: string;
  try {
    text = textOf(readFileSync(`/proc/${pid}/net/${table}`));
  } catch {
    return;
  }
  for (const line of text.split("\n").slice(1)) {
    const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
    if (local !== undefined && state !== undefined && inode !== undefined) yield { local, state, inode };
  }
}

/** Words of four bytes in the machine's order, which is little endian wherever we run. */
function addressFrom(hex: string): string {
  const bytes = hex.match(/../g) ?? [];
  const network = bytes.map((_, i) => bytes[(i & ~3) + (3 - (i & 3))] ?? "00");
  if (network.length === 4) return network.map((byte) => Number.parseInt(byte, 16)).join(".");
  const groups = Array.from({ length: 8 }, (_, i) => `${network[2 * i] ?? "00"}${network[2 * i + 1] ?? "00"}`);
  // The URL parser writes it as people do.
  return new URL(`http://[${groups.join(":")}]`).hostname.slice(1, -1);
}
