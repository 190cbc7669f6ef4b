/**
 * Finds who waits for input: a process asleep in a read of the terminal (or of the pipe that is its stdin), or in a wait for several
 * descriptors of which that is one.
 *
 * A wait that a network socket could end as well is a wait for the network, and a process with a thread that runs, or waits for a disk, has
 * something to do. Where the call may not be seen (a setuid program's, or a hardened system), the kernel's function in which the thread
 * sleeps has to do; where not even that may be, that it sleeps.
 */
import { descriptorWaitOf, descriptorLink } from "../platform/process/awaited-descriptors.ts";
import { readdirSync } from "../platform/fs/libc-fs.ts";
import { networkInodes, socketInode } from "../platform/sockets/network-sockets.ts";
import { type ThreadState, threadsOf } from "../platform/process/thread-state.ts";

export interface InputReader {
  pid: number;
  tid: number;
  /** By what it was found, from the surest on. */
  evidence: "syscall" | "wchan" | "state";
  /** Its wait ends by itself after this long; null when it does not. */
  timeoutMs: number | null;
  /** Nothing but input ends its wait: neither time nor another descriptor, behind which its children may be at work. */
  isForInputAlone: boolean;
  /** Time that all threads of its process have had a processor. */
  cpuNs: number;
}

/** Kernel functions in which one sleeps for a terminal or a pipe, and those for a set of descriptors. */
const READS = ["n_tty_read", "wait_woken", "pipe_read", "anon_pipe_read", "pipe_wait_readable"];
const SETS = ["do_poll", "do_sys_poll", "do_select", "poll_schedule_timeout", "ep_poll", "do_epoll_wait"];
const MAX_DESCRIPTORS = 1024;

/** Of `pids`, the first that reads `link` (as /proc/PID/fd names it) and does nothing else. */
export function findReader(pids: readonly number[], link: string): InputReader | null {
  for (const pid of pids) {
    const reader = readerIn(pid, link);
    if (reader !== null) return reader;
  }
  return null;
}

/** Whether that process does, and nothing else; null when it cannot be seen. */
export function isReading(pid: number, link: string): boolean | null {
  if (readerIn(pid, link) !== null) return true;
  const threads = threadsOf(pid);
  const isUnseen = ({ state, call, waitChannel }: ThreadState): boolean =>
    state === "S" && call === null && waitChannel === null;
  return threads.length === 0 || threads.some(isUnseen) ? null : false;
}

export interface ProcessActivity {
  isBusy: boolean;
  cpuNs: number;
}

/** What a process does, and has done. */
export function activityOf(pid: number): ProcessActivity {
  const threads = threadsOf(pid);
  return { isBusy: threads.some(works), cpuNs: cpuTime(threads) };
}

function cpuTime(threads: readonly ThreadState[]): number {
  return threads.reduce((sum, { cpuNs }) => sum + cpuNs, 0);
}

function works({ state }: ThreadState): boolean {
  return state === "R" || state === "D";
}

function readerIn(pid: number, link: string): InputReader | null {
  const threads = threadsOf(pid);
  if (threads.some(works)) return null;
  const cpuNs = cpuTime(threads);
  for (const thread of threads) {
    if (thread.state !== "S") continue;
    const found = reads(pid, thread, link);
    if (found !== null) return { pid, tid: thread.tid, cpuNs, ...found };
  }
  return null;
}

type Found = Pick<InputReader, "evidence" | "timeoutMs" | "isForInputAlone">;

function reads(pid: number, { call, waitChannel }: ThreadState, link: string): Found | null {
  const awaited = call === null ? null : descriptorWaitOf(pid, call);
  if (awaited !== null) {
    const links = awaited.fds.map((fd) => descriptorLink(pid, fd));
    if (!links.some((candidate) => isInput(candidate, link)) || hasNetwork(pid, links)) return null;
    const { timeoutMs } = awaited;
    const isForInputAlone = timeoutMs === null && links.every((candidate) => isInput(candidate, link));
    return { evidence: "syscall", timeoutMs, isForInputAlone };
  }
  const descriptors = openDescriptors(pid);
  if (descriptors === null) return { evidence: "state", timeoutMs: null, isForInputAlone: false };
  const sleepsFor = waitChannel !== null && [...READS, ...SETS].some((known) => waitChannel.startsWith(known));
  if (!sleepsFor || !descriptors.some((candidate) => isInput(candidate, link))) return null;
  return hasNetwork(pid, descriptors) ? null : { evidence: "wchan", timeoutMs: null, isForInputAlone: false };
}

/** /dev/tty is the terminal of whoever opened it: of those in its foreground group, this one. */
function isInput(candidate: string | null, link: string): boolean {
  return candidate === link || (candidate === "/dev/tty" && link.startsWith("/dev/"));
}

function hasNetwork(pid: number, links: readonly (string | null)[]): boolean {
  const sockets = links.flatMap((link) => socketInode(link) ?? []);
  if (sockets.length === 0) return false;
  const network = networkInodes(pid);
  return sockets.some((inode) => network.has(inode));
}

/** Null when they may not be seen: somebody else's process. */
function openDescriptors(pid: number): (string | null)[] | null {
  try {
    const fds = readdirSync(`/proc/${pid}/fd`).slice(0, MAX_DESCRIPTORS);
    return fds.map((fd) => descriptorLink(pid, Number(fd)));
  } catch {
    return null;
  }
}
