/** Who is who among processes, so that a pid used again is never taken for the one we mean. */
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
  /** One letter: R running, S sleeping, T stopped, Z zombie … Of one whose first thread has ended and others have not, R: its files and locks are still held. */
  state: string;
  startTime: number;
  /** Its own and that of children that it waited for. */
  cpuTicks: number;
}

/** Null when there is no such process (or no /proc). */
export function processStatus(pid: number): ProcessStatus | null {
  const stat = readProc(`/proc/${pid}/stat`);
  if (stat === null) return null;
  // The second field is the name in parentheses and may itself hold parentheses and spaces.
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

/** What it does about each of the first 31 signals, a bit a signal; nothing where there is no such process. */
export function signalsOf(pid: number): { ignored: number; caught: number } {
  const stat = readProc(`/proc/${pid}/stat`);
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ") ?? [];
  return { ignored: Number(fields[30] ?? 0), caught: Number(fields[31] ?? 0) };
}

/** `startTime` where that is known. */
export function identityOf(pid: number, startTime: number | null = null): ProcessIdentity {
  return { pid, start_time: startTime ?? processStatus(pid)?.startTime ?? null, boot_id: bootId() };
}

let own: ProcessIdentity | null = null;

/** Our own, which does not change. */
export function ownIdentity(): ProcessIdentity {
  own ??= identityOf(process.pid);
  return own;
}

/** Whether that very process is still alive (a zombie is not; one that was killed is none before its last thread has ended). */
export function isSame(identity: ProcessIdentity): boolean {
  if (identity.boot_id !== bootId()) return false;
  const status = processStatus(identity.pid);
  return status !== null && status.state !== "Z" && status.startTime === identity.start_time;
}

/** PF_EXITING of the kernel: it is set before what the process has open is closed. */
const EXITING = 0x4;

/** Whether that very process is over or about to be: one that was killed may be seen for a moment longer than its sockets, and is told nothing any more. */
export function isEnding({ pid, start_time }: ProcessIdentity): boolean {
  const stat = readProc(`/proc/${pid}/stat`);
  if (stat === null) return true;
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const isAnother = start_time !== null && Number(fields[19]) !== start_time;
  return isAnother || fields[0] === "Z" || (Number(fields[6]) & EXITING) !== 0;
}

/**
 * Whether a shell would notice if our process group stopped. The kernel drops Ctrl-Z for a group that nobody in its
 * session but outside of it has started ("orphaned"): nobody could ever continue it.
 */
export function hasJobControl(): boolean {
  const ours = processStatus(process.pid);
  if (ours === null) return true;
  let parent = processStatus(ours.parent);
  while (parent?.group === ours.group) parent = processStatus(parent.parent);
  return parent?.session === ours.session;
}

/** Whether it has a handler for that signal. */
export function catchesSignal(pid: number, signal: number): boolean {
  const mask = /^SigCgt:\s*([0-9a-f]+)$/m.exec(readProc(`/proc/${pid}/status`) ?? "")?.[1];
  return mask !== undefined && ((BigInt(`0x${mask}`) >> BigInt(signal - 1)) & 1n) === 1n;
}

/** The children of all its threads. A child that is made or reaped during the look may be missing. */
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
 * Visits every process that lives at the end of it. A process that replaces itself during the look has a new pid by then, so /proc is
 * listed again until the kernel has given away no pid meanwhile; only what is new is visited.
 */
export function forEachProcess(visit: (status: ProcessStatus) => void): void {
  const seen = new Set<string>();
  for (let pass = 0; pass < MOST_PASSES; pass++) {
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

/** Passes after the first are short. Where threads are made without end, they have to end all the same. */
const MOST_PASSES = 50;

function lastPid(): string | undefined {
  return readProc("/proc/loadavg")?.trim().split(" ").at(-1);
}

/** Null when there is no such file, or it may not be read. */
export function readProc(path: string): string | null {
  try {
    return textOf(readFileSync(path));
  } catch {
    return null;
  }
}
