/**
 * How a holder and a leader talk: descriptor numbers, the leader's argument, orders and reports.
 * native/leader.c has the same numbers.
 */
import { RUSAGE_BYTES, type RawChange } from "../../platform/process/wait.ts";

/**
 * Above the numbers that shells use for process substitutions (63 and below); below 100, a common
 * low limit.
 */
export const REPORT_FD = 90;
export const ORDER_FD = 91;
/** The pipe that replaces stderr, where stderr is not the terminal. */
export const STDERR_FD = 92;
/** cgroup.procs of the command's own control group. */
export const GROUP_FD = 93;

/** The leader's first argument: where the command starts. */
export const FRONT = "front";
/** In the background: the leader itself has the terminal. */
export const BEHIND = "behind";

/** Orders to the leader, one byte each. */
export const TO_FRONT = 0x66; // "f"
export const TO_BACK = 0x62; // "b"
/** Continues the command where the last order put it. */
export const CONTINUE = 0x63; // "c"

/** Bytes of one report: `u32 kind | u32 value | struct rusage`. */
export const REPORT_BYTES = 8 + RUSAGE_BYTES;

export type LeaderReport =
  | { kind: "started"; pid: number }
  | { kind: "failed"; errno: number }
  | ({ kind: "changed" } & RawChange);

const STARTED = 1;
const FAILED = 2;
const CHANGED = 3;

export function encodeReport(report: LeaderReport): Uint8Array {
  const record = new Uint8Array(REPORT_BYTES);
  const view = new DataView(record.buffer);
  const set = (kind: number, value: number): void => {
    view.setUint32(0, kind, true);
    view.setUint32(4, value, true);
  };
  if (report.kind === "started") set(STARTED, report.pid);
  else if (report.kind === "failed") set(FAILED, report.errno);
  else {
    set(CHANGED, report.status);
    record.set(report.usage, 8);
  }
  return record;
}

export function decodeReport(record: Uint8Array): LeaderReport {
  const view = new DataView(record.buffer, record.byteOffset, record.byteLength);
  const value = view.getUint32(4, true);
  const kind = view.getUint32(0, true);
  if (kind === STARTED) return { kind: "started", pid: value };
  if (kind === FAILED) return { kind: "failed", errno: value };
  return { kind: "changed", status: value, usage: record.slice(8) };
}
