/** Network sockets from /proc/PID/net, for that process's network namespace. */
import { readFileSync } from "../fs/libc-fs.ts";
import { textOf } from "../../protocol/types/bytes.ts";

export interface ListeningSocket {
  inode: string;
  address: string;
  port: number;
}

const LISTENS = "0A";

/** Listening TCP sockets, IPv4 and IPv6. */
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

/** Inodes of all TCP, UDP and raw sockets. */
export function networkInodes(pid: number): Set<string> {
  const inodes = new Set<string>();
  for (const table of ["tcp", "tcp6", "udp", "udp6", "raw", "raw6"])
    for (const { inode } of rows(pid, table)) inodes.add(inode);
  return inodes;
}

/** "127" for "socket:[127]"; null for any other link. */
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

/**
 * The kernel prints 4-byte words in host order, which is little endian on all supported machines.
 */
function addressFrom(hex: string): string {
  const bytes = hex.match(/../g) ?? [];
  const network = bytes.map((_, i) => bytes[(i & ~3) + (3 - (i & 3))] ?? "00");
  if (network.length === 4) return network.map((byte) => Number.parseInt(byte, 16)).join(".");
  const groups = Array.from({ length: 8 }, (_, i) => `${network[2 * i] ?? "00"}${network[2 * i + 1] ?? "00"}`);
  // The URL parser shortens the address.
  return new URL(`http://[${groups.join(":")}]`).hostname.slice(1, -1);
}
