/**
 * Inspects a session's processes: whether they wait for input, and on which ports they listen.
 * Loaded on demand.
 */
import { HoltError } from "../../protocol/types/errors.ts";
import type { InputState, ListeningPort } from "../../protocol/wire/holder-methods.ts";
import { InputWatch } from "../../process/input-watch.ts";
import type { ControllableSession } from "../socket/control.ts";
import { descriptorLink } from "../../platform/process/awaited-descriptors.ts";
import { readdirSync, readlinkSync } from "../../platform/fs/libc-fs.ts";
import { listeningSockets, socketInode } from "../../platform/sockets/network-sockets.ts";

/** Keeps the last observation for the next request. */
const watches = new WeakMap<ControllableSession, InputWatch>();
const NOT_WAITING: InputState = { waiting: null, settles_in_ms: null, pid: null, evidence: null };

export function inputState(session: ControllableSession): Record<string, unknown> {
  requireProc("input waits");
  const { inputEnd, pendingInput } = session.transport;
  const { produced } = session.record.writer;
  if (inputEnd === null || session.hasEnded) return { ...NOT_WAITING };
  let watch = watches.get(session);
  if (watch === undefined) watches.set(session, (watch = new InputWatch()));
  const full_screen = session.terminal?.modes.alternate_screen ?? false;
  return { ...watch.check({ inputEnd, pendingInput, produced, members: session.termination.members() }), full_screen };
}

export function ports(session: ControllableSession): { ports: ListeningPort[] } {
  requireProc("listening ports");
  return { ports: session.hasEnded ? [] : listeningPorts(session.termination.members()) };
}

function requireProc(what: string): void {
  if (process.platform === "linux") return;
  throw new HoltError("EIO", `cannot detect ${what} on ${process.platform}`, {
    hint: "use match=REGEX for what it prints, or idle=DURATION",
  });
}

/**
 * The listening ports of the session's processes; each port once, even if several processes
 * inherited its socket.
 */
function listeningPorts(members: readonly number[]): ListeningPort[] {
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
    return []; // the process is gone, or belongs to another user
  }
}

/** Processes in one network namespace see the same sockets. */
function networkOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`);
  } catch {
    return "";
  }
}
