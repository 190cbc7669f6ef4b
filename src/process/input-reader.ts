/**
 * Finds the process that waits for input: asleep in a read of the terminal (or of its stdin pipe),
 * or in a poll that includes it.
 *
 * A poll that also includes a network socket counts as waiting for the network. A process with a
 * running or disk-waiting thread counts as working. Where the system call is not readable (setuid
 * programs, hardened systems) the kernel function decides; without that, the sleeping state alone.
 */
import { descriptorWaitOf, descriptorLink } from "../platform/process/awaited-descriptors.ts";
import { readdirSync } from "../platform/fs/libc-fs.ts";
import { networkInodes, socketInode } from "../platform/sockets/network-sockets.ts";
import { type ThreadState, threadsOf } from "../platform/process/thread-state.ts";

export interface InputReader {
  pid: number;
  tid: number;
  /** The kind of evidence, surest first. */
  evidence: "syscall" | "wchan" | "state";
  /** The timeout of its wait; null for none. */
  timeoutMs: number | null;
  /**
   * Only input ends the wait: no timeout, and no other descriptor through which its children may
   * report.
   */
  isForInputAlone: boolean;
  /** Processor time of all threads of the process. */
  cpuNs: number;
}

/**
 * Kernel functions that wait for a terminal or pipe, and those that wait for a set of descriptors.
 */
const READ_FUNCTIONS = ["n_tty_read", "wait_woken", "pipe_read", "anon_pipe_read", "pipe_wait_readable"];
const POLL_FUNCTIONS = ["do_poll", "do_sys_poll", "do_select", "poll_schedule_timeout", "ep_poll", "do_epoll_wait"];
const MAX_DESCRIPTORS = 1024;

/** The first of `pids` that waits for `link` (as in /proc/PID/fd) and does no work. */
export function findReader(pids: readonly number[], link: string): InputReader | null {
  for (const pid of pids) {
    const reader = readerIn(pid, link);
    if (reader !== null) return reader;
  }
  return null;
}

/** True when the process waits for `link` and does no work; null when unknown. */
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

/** Current work and processor time of a process. */
export function activityOf(pid: number): ProcessActivity {
  const threads = threadsOf(pid);
  return { isBusy: threads.some(isWorking), cpuNs: cpuTime(threads) };
}

function cpuTime(threads: readonly ThreadState[]): number {
  return threads.reduce((sum, { cpuNs }) => sum + cpuNs, 0);
}

function isWorking({ state }: ThreadState): boolean {
  return state === "R" || state === "D";
}

function readerIn(pid: number, link: string): InputReader | null {
  const threads = threadsOf(pid);
  if (threads.some(isWorking)) return null;
  const cpuNs = cpuTime(threads);
  for (const thread of threads) {
    if (thread.state !== "S") continue;
    const found = inputWait(pid, thread, link);
    if (found !== null) return { pid, tid: thread.tid, cpuNs, ...found };
  }
  return null;
}

type Found = Pick<InputReader, "evidence" | "timeoutMs" | "isForInputAlone">;

function inputWait(pid: number, { call, waitChannel }: ThreadState, link: string): Found | null {
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
  const sleepsFor =
    waitChannel !== null && [...READ_FUNCTIONS, ...POLL_FUNCTIONS].some((known) => waitChannel.startsWith(known));
  if (!sleepsFor || !descriptors.some((candidate) => isInput(candidate, link))) return null;
  return hasNetwork(pid, descriptors) ? null : { evidence: "wchan", timeoutMs: null, isForInputAlone: false };
}

/**
 * /dev/tty is the opener's controlling terminal: for processes in its foreground group, this one.
 */
function isInput(candidate: string | null, link: string): boolean {
  return candidate === link || (candidate === "/dev/tty" && link.startsWith("/dev/"));
}

function hasNetwork(pid: number, links: readonly (string | null)[]): boolean {
  const sockets = links.flatMap((link) => socketInode(link) ?? []);
  if (sockets.length === 0) return false;
  const network = networkInodes(pid);
  return sockets.some((inode) => network.has(inode));
}

/** Null when not readable: another user's process. */
function openDescriptors(pid: number): (string | null)[] | null {
  try {
    const fds = readdirSync(`/proc/${pid}/fd`).slice(0, MAX_DESCRIPTORS);
    return fds.map((fd) => descriptorLink(pid, Number(fd)));
  } catch {
    return null;
  }
}
