/** What a leader says of its command: records of 152 bytes, `u32 kind | u32 value | struct rusage`. */
import { RUSAGE_BYTES, type RawChange } from "../../platform/process/wait.ts";

export const REPORT_BYTES = 8 + RUSAGE_BYTES;

export type Report =
  | { kind: "started"; pid: number }
  | { kind: "failed"; errno: number }
  | ({ kind: "changed" } & RawChange);

const STARTED = 1;
const FAILED = 2;
const CHANGED = 3;

export function encodeReport(report: Report): Uint8Array {
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

export function decodeReport(record: Uint8Array): Report {
  const view = new DataView(record.buffer, record.byteOffset, record.byteLength);
  const value = view.getUint32(4, true);
  const kind = view.getUint32(0, true);
  if (kind === STARTED) return { kind: "started", pid: value };
  if (kind === FAILED) return { kind: "failed", errno: value };
  return { kind: "changed", status: value, usage: record.slice(8) };
}
