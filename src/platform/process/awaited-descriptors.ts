/**
 * Finds the descriptors that a sleeping thread waits for, from its system call and, for a set of
 * descriptors, from its memory.
 */
import { fileConstants } from "../native/constants.ts";
import { closeQuietly } from "../fs/descriptors.ts";
import { openSync, readFileSync, readlinkSync, readSync } from "../fs/libc-fs.ts";
import type { BlockedCall } from "./thread-state.ts";
import { textOf } from "../../protocol/types/bytes.ts";

export interface DescriptorWait {
  /** Descriptors that end the wait once they are readable. */
  fds: readonly number[];
  /** Null: the wait has no timeout. */
  timeoutMs: number | null;
}

type WaitCall = "read" | "poll" | "ppoll" | "select" | "pselect" | "epoll" | "epoll2" | "restarted";

const X64: Record<number, WaitCall> = {
  0: "read",
  19: "read", // readv
  7: "poll",
  271: "ppoll",
  23: "select",
  270: "pselect",
  232: "epoll",
  281: "epoll",
  441: "epoll2",
  219: "restarted",
};
const ARM64: Record<number, WaitCall> = {
  63: "read",
  65: "read",
  73: "ppoll",
  72: "pselect",
  22: "epoll",
  441: "epoll2",
  128: "restarted",
};
const WAIT_CALLS = process.arch === "arm64" ? ARM64 : X64;

const POLLIN = 0x1;
const POLLRDNORM = 0x40;
const MAX_SET = 4096;
/** Levels of nested epoll sets that are followed. Programs do not nest deeper. */
const MAX_DEPTH = 2;
const NO_WAIT: DescriptorWait = { fds: [], timeoutMs: null };

/** Null when unknown: the call was restarted after a stop, or the memory is not readable. */
export function descriptorWaitOf(pid: number, { number, args }: BlockedCall): DescriptorWait | null {
  const [first = 0n, second = 0n, third = 0n, fourth = 0n, fifth = 0n] = args;
  try {
    switch (WAIT_CALLS[number]) {
      case "read":
        return { fds: [toInt(first)], timeoutMs: null };
      case "poll":
        return { fds: pollSet(pid, first, second), timeoutMs: timeoutOrNull(toInt(third)) };
      case "ppoll":
        return { fds: pollSet(pid, first, second), timeoutMs: timeAt(pid, third, 1e6) };
      case "select":
        return { fds: selectSet(pid, second, toInt(first)), timeoutMs: timeAt(pid, fifth, 1e3) };
      case "pselect":
        return { fds: selectSet(pid, second, toInt(first)), timeoutMs: timeAt(pid, fifth, 1e6) };
      case "epoll":
        return { fds: epollSet(pid, toInt(first), MAX_DEPTH), timeoutMs: timeoutOrNull(toInt(fourth)) };
      case "epoll2":
        return { fds: epollSet(pid, toInt(first), MAX_DEPTH), timeoutMs: timeAt(pid, fourth, 1e6) };
      case "restarted":
        return null;
      default:
        return NO_WAIT;
    }
  } catch {
    return null;
  }
}

/**
 * The target of /proc/PID/fd/FD: a path, "pipe:[N]", "socket:[N]"; null when missing or not
 * readable.
 */
export function descriptorLink(pid: number | "self", fd: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/fd/${fd}`);
  } catch {
    return null;
  }
}

/** An int argument: the register's upper 32 bits are undefined. */
function toInt(argument: bigint): number {
  return Number(BigInt.asIntN(32, argument));
}

function timeoutOrNull(ms: number): number | null {
  return ms < 0 ? null : ms;
}

/** Reads a timeval or timespec. */
function timeAt(pid: number, address: bigint, perMs: number): number | null {
  if (address === 0n) return null;
  const view = readMemory(pid, address, 16);
  return Number(view.getBigInt64(0, true)) * 1000 + Number(view.getBigInt64(8, true)) / perMs;
}

function pollSet(pid: number, address: bigint, count: bigint): number[] {
  const length = Math.min(Number(count), MAX_SET);
  if (length === 0) return [];
  const view = readMemory(pid, address, length * 8);
  const fds: number[] = [];
  for (let at = 0; at < length * 8; at += 8) {
    const fd = view.getInt32(at, true);
    if (fd >= 0 && (view.getInt16(at + 4, true) & (POLLIN | POLLRDNORM)) !== 0) fds.push(fd);
  }
  return fds;
}

function selectSet(pid: number, address: bigint, count: number): number[] {
  if (address === 0n || count <= 0) return [];
  const length = Math.min(count, MAX_SET);
  const view = readMemory(pid, address, Math.ceil(length / 64) * 8);
  const fds: number[] = [];
  for (let fd = 0; fd < length; fd++) if (((view.getUint8(fd >> 3) >> (fd & 7)) & 1) === 1) fds.push(fd);
  return fds;
}

function epollSet(pid: number, epoll: number, depth: number): number[] {
  const fds: number[] = [];
  const info = textOf(readFileSync(`/proc/${pid}/fdinfo/${epoll}`));
  for (const [, target, events] of info.matchAll(/^tfd:\s*(\d+)\s+events:\s*([0-9a-f]+)/gm)) {
    if ((Number.parseInt(events ?? "0", 16) & (POLLIN | POLLRDNORM)) === 0) continue;
    const fd = Number(target);
    const isSet = depth > 1 && descriptorLink(pid, fd) === "anon_inode:[eventpoll]";
    fds.push(...(isSet ? epollSet(pid, fd, depth - 1) : [fd]));
  }
  return fds;
}

function readMemory(pid: number, address: bigint, length: number): DataView {
  const bytes = new Uint8Array(length);
  const fd = openSync(`/proc/${pid}/mem`, fileConstants.O_RDONLY);
  try {
    if (readSync(fd, bytes, Number(address)) === length) return new DataView(bytes.buffer);
  } finally {
    closeQuietly(fd);
  }
  throw new RangeError("part of it is not mapped");
}
