/** How a child has ended, or stopped. Always of one pid: "any child" would take the runtime's own from it. */
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

/** What wait4(2) said, as it said it. */
export interface RawChange {
  status: number;
  /** struct rusage. */
  usage: Uint8Array;
}

export const RUSAGE_BYTES = 144;

export interface WaitOptions {
  block: boolean;
  /** Whether stops count too. */
  stops: boolean;
}

/** Null when nothing has changed (`block: false`), or when it is no child of ours. */
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
  const most = word(4);
  return {
    userMs: word(0) * 1000 + word(1) / 1000,
    systemMs: word(2) * 1000 + word(3) / 1000,
    maxRssKb: process.platform === "darwin" ? most / 1024 : most,
  };
}

const P_ALL = 0;
const P_PID = 1;
/** WEXITED, WNOHANG, WNOWAIT: it looks, and takes nobody's child. */
const LOOK = process.platform === "darwin" ? 0x04 | 0x01 | 0x20 : 0x04 | 0x01 | 0x01000000;
const SIGINFO_BYTES = 128;

/** Whether it is a child of ours, alive or yet to be reaped. */
export function isChild(pid: number): boolean {
  return libc().waitid(P_PID, pid, found, LOOK) === 0;
}

/** Its first byte is the signal of what was found: SIGCHLD, or 0. */
const found = new Uint8Array(SIGINFO_BYTES);

/** Whether it is a child of ours that has ended with all its threads and is yet to be reaped: it has no children any more. */
export function hasEnded(pid: number): boolean {
  return libc().waitid(P_PID, pid, found, LOOK) === 0 && found[0] !== 0;
}

/** One call, where /proc would be read. */
export function hasChildren(): boolean {
  return libc().waitid(P_ALL, 0, found, LOOK) === 0 || lastErrno() !== "ECHILD";
}
