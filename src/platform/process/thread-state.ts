/**
 * Reads the current state of a process's threads from /proc. The system call is readable only for
 * processes that may trace the thread: the same user's and, under Yama, its ancestors.
 */
import { readdirSync, readFileSync } from "../fs/libc-fs.ts";
import { textOf } from "../../protocol/types/bytes.ts";

export interface BlockedCall {
  number: number;
  args: readonly bigint[];
}

export interface ThreadState {
  tid: number;
  /** One letter: R running, S sleeping, D waiting for a disk, T stopped, Z ended. */
  state: string;
  /** Processor time used. */
  cpuNs: number;
  /** The system call in which it sleeps; null for none, or when not readable. */
  call: BlockedCall | null;
  /** The kernel function in which it sleeps (wchan); null when not readable. */
  waitChannel: string | null;
}

/** Empty when there is no such process. */
export function threadsOf(pid: number): ThreadState[] {
  let tids: string[];
  try {
    tids = readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
  return tids.flatMap((tid) => threadState(`/proc/${pid}/task/${tid}`, Number(tid)) ?? []);
}

function threadState(path: string, tid: number): ThreadState | null {
  const stat = read(`${path}/stat`);
  if (stat === null) return null;
  const waitChannel = read(`${path}/wchan`);
  return {
    tid,
    state: stat[stat.lastIndexOf(")") + 2] ?? "?",
    cpuNs: Number((read(`${path}/schedstat`) ?? "0").split(" ", 1)[0]),
    call: callIn(read(`${path}/syscall`) ?? ""),
    waitChannel: waitChannel === null || waitChannel === "0" || waitChannel === "" ? null : waitChannel,
  };
}

/** "number arg1 … arg6 sp pc"; "running" or "-1 sp pc" outside of any call. */
function callIn(line: string): BlockedCall | null {
  const [number = "", ...rest] = line.trim().split(" ");
  if (!/^\d+$/.test(number) || rest.length < 6) return null;
  return { number: Number(number), args: rest.slice(0, 6).map(BigInt) };
}

function read(path: string): string | null {
  try {
    return textOf(readFileSync(path));
  } catch {
    return null;
  }
}
