/**
 * Waits for a child's end or stop. Always for one pid: waiting for any child would reap the
 * runtime's own.
 */
import { lastErrno, libc } from "../native/libc.ts";

export interface WaitStatus {
  kind: "exited" | "signaled" | "stopped" | "continued";
  /** Exit code, or signal number. */
  value: number;
}

export interface ResourceUsage {
  userMs: number;
  systemMs: number;
  maxRssKb: number;
}

const WNOHANG = 1;
const WUNTRACED = 2;

/** The raw result of wait4(2). */
export interface RawChange {
  status: number;
  /** struct rusage. */
  usage: Uint8Array;
}

export const RUSAGE_BYTES = 144;

export interface WaitOptions {
  block: boolean;
  /** Reports stops too. */
  stops: boolean;
}

/** Null when nothing has changed (`block: false`), or when the process is not our child. */
export function waitRaw(pid: number, { block, stops }: WaitOptions): RawChange | null {
  const status = new Int32Array(1);
  const usage = new Uint8Array(RUSAGE_BYTES);
  const flags = (block ? 0 : WNOHANG) | (stops ? WUNTRACED : 0);
  for (;;) {
    const result = libc().wait4(pid, status, flags, usage);
    if (result === pid) return { status: status[0] ?? 0, usage };
    if (result !== -1 || lastErrno() !== "EINTR") return null;
  }
}

export function waitFor(pid: number, options: WaitOptions): { status: WaitStatus; usage: ResourceUsage } | null {
  const change = waitRaw(pid, options);
  return change === null ? null : parseChange(change);
}

export function parseChange({ status, usage }: RawChange): { status: WaitStatus; usage: ResourceUsage } {
  return { status: parseStatus(status), usage: parseUsage(usage) };
}

function parseStatus(status: number): WaitStatus {
  const low = status & 0x7f;
  if (low === 0x7f) return { kind: "stopped", value: (status >> 8) & 0xff };
  if (status === 0xffff) return { kind: "continued", value: 0 };
  return low === 0 ? { kind: "exited", value: (status >> 8) & 0xff } : { kind: "signaled", value: low };
}

function parseUsage(usage: Uint8Array): ResourceUsage {
  const view = new DataView(usage.buffer, usage.byteOffset, usage.byteLength);
  const word = (index: number): number =>
    view.getUint32(index * 8, true) + view.getUint32(index * 8 + 4, true) * 2 ** 32;
  const maxRss = word(4);
  return {
    userMs: word(0) * 1000 + word(1) / 1000,
    systemMs: word(2) * 1000 + word(3) / 1000,
    maxRssKb: process.platform === "darwin" ? maxRss / 1024 : maxRss,
  };
}

const P_ALL = 0;
const P_PID = 1;
/** WEXITED, WNOHANG, WNOWAIT: reads the state without reaping the child. */
const PEEK_FLAGS = process.platform === "darwin" ? 0x04 | 0x01 | 0x20 : 0x04 | 0x01 | 0x01000000;
const SIGINFO_BYTES = 128;

/** True when the process is our child, alive or not yet reaped. */
export function isChild(pid: number): boolean {
  return libc().waitid(P_PID, pid, siginfo, PEEK_FLAGS) === 0;
}

/** Its first byte is SIGCHLD when a child was found, else 0. */
const siginfo = new Uint8Array(SIGINFO_BYTES);

/**
 * True when the process is our child, has ended with all its threads, and is not yet reaped. It has
 * no children then.
 */
export function hasEnded(pid: number): boolean {
  return libc().waitid(P_PID, pid, siginfo, PEEK_FLAGS) === 0 && siginfo[0] !== 0;
}

/** True when this process has children: one call instead of a read of /proc. */
export function hasChildren(): boolean {
  return libc().waitid(P_ALL, 0, siginfo, PEEK_FLAGS) === 0 || lastErrno() !== "ECHILD";
}
