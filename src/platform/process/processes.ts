/**
 * Reads processes from /proc and identifies them, so that a reused pid is never mistaken for
 * another.
 */
import type { ProcessIdentity } from "../../protocol/types/session.ts";
import { entriesIn, readFileSync } from "../fs/libc-fs.ts";
import { textOf } from "../../protocol/types/bytes.ts";

let knownBootId: string | null | undefined;

export function bootId(): string | null {
  if (knownBootId === undefined) knownBootId = readProc("/proc/sys/kernel/random/boot_id")?.trim() ?? null;
  return knownBootId;
}

export interface ProcessStatus {
  pid: number;
  parent: number;
  group: number;
  session: number;
  /**
   * One letter: R running, S sleeping, T stopped, Z zombie … A process whose first thread has ended
   * while others run counts as R: its files and locks are still held.
   */
  state: string;
  startTime: number;
  /** Processor time of the process and of the children that it has reaped. */
  cpuTicks: number;
}

/** Null when there is no such process (or no /proc). */
export function processStatus(pid: number): ProcessStatus | null {
  const stat = readProc(`/proc/${pid}/stat`);
  if (stat === null) return null;
  // The second field is the name in parentheses and may itself contain parentheses and spaces.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return {
    pid,
    state: fields[0] === "Z" && Number(fields[17]) > 1 ? "R" : (fields[0] ?? "?"),
    parent: Number(fields[1]),
    group: Number(fields[2]),
    session: Number(fields[3]),
    startTime: Number(fields[19]),
    cpuTicks: fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0),
  };
}

/** Masks of the first 31 signals, one bit each; zero when there is no such process. */
export function signalsOf(pid: number): { ignored: number; caught: number } {
  const stat = readProc(`/proc/${pid}/stat`);
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ") ?? [];
  return { ignored: Number(fields[30] ?? 0), caught: Number(fields[31] ?? 0) };
}

/** `startTime`, where known, saves reading /proc. */
export function identityOf(pid: number, startTime: number | null = null): ProcessIdentity {
  return { pid, start_time: startTime ?? processStatus(pid)?.startTime ?? null, boot_id: bootId() };
}

let own: ProcessIdentity | null = null;

/** This process's identity, read once. */
export function ownIdentity(): ProcessIdentity {
  own ??= identityOf(process.pid);
  return own;
}

/**
 * True when this process is alive. A zombie is not; a killed process is, until its last thread has
 * ended.
 */
export function isSame(identity: ProcessIdentity): boolean {
  if (identity.boot_id !== bootId()) return false;
  const status = processStatus(identity.pid);
  return status !== null && status.state !== "Z" && status.startTime === identity.start_time;
}

/** The kernel's PF_EXITING: set before the process's files are closed. */
const EXITING = 0x4;

/**
 * True when this process has ended or is about to: a killed process outlives its sockets for a
 * moment.
 */
export function isEnding({ pid, start_time }: ProcessIdentity): boolean {
  const stat = readProc(`/proc/${pid}/stat`);
  if (stat === null) return true;
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const isAnother = start_time !== null && Number(fields[19]) !== start_time;
  return isAnother || fields[0] === "Z" || (Number(fields[6]) & EXITING) !== 0;
}

/**
 * True when a shell would notice if our process group stopped. The kernel drops Ctrl-Z for an
 * orphaned group, which has no parent in the same session but another group, because nothing could
 * continue it.
 */
export function hasJobControl(): boolean {
  const ours = processStatus(process.pid);
  if (ours === null) return true;
  let parent = processStatus(ours.parent);
  while (parent?.group === ours.group) parent = processStatus(parent.parent);
  return parent?.session === ours.session;
}

/** True when the process has a handler for the signal. */
export function catchesSignal(pid: number, signal: number): boolean {
  const mask = /^SigCgt:\s*([0-9a-f]+)$/m.exec(readProc(`/proc/${pid}/status`) ?? "")?.[1];
  return mask !== undefined && ((BigInt(`0x${mask}`) >> BigInt(signal - 1)) & 1n) === 1n;
}

/** The children of all its threads. A child made or reaped meanwhile may be missing. */
export function childrenOf(pid: number): number[] {
  const lists = entriesIn(`/proc/${pid}/task`).map((tid) => readProc(`/proc/${pid}/task/${tid}/children`) ?? "");
  return lists.flatMap((list) => list.split(" ").filter(Boolean).map(Number));
}

export function allProcesses(): ProcessStatus[] {
  const found: ProcessStatus[] = [];
  forEachProcess((status) => found.push(status));
  return found;
}

/**
 * Visits every process that is alive at the end of the call. A process may replace itself by a fork
 * while /proc is listed, so it is listed again until no new pid was assigned meanwhile. Each
 * process is visited once.
 */
export function forEachProcess(visit: (status: ProcessStatus) => void): void {
  const seen = new Set<string>();
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const last = lastPid();
    for (const name of entriesIn("/proc")) {
      if (seen.has(name) || !/^\d+$/.test(name)) continue;
      seen.add(name);
      const status = processStatus(Number(name));
      if (status !== null) visit(status);
    }
    if (lastPid() === last) return;
  }
}

/** Passes after the first are short. The bound ends the loop where threads are made without end. */
const MAX_PASSES = 50;

function lastPid(): string | undefined {
  return readProc("/proc/loadavg")?.trim().split(" ").at(-1);
}

/** Null when there is no such file, or it is not readable. */
export function readProc(path: string): string | null {
  try {
    return textOf(readFileSync(path));
  } catch {
    return null;
  }
}
