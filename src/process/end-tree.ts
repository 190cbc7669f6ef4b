/** Ends a session's process tree: with a signal and a grace period, or by SIGKILL at once. */
import type { ControlGroup } from "../platform/process/cgroup.ts";
import { endProcesses } from "../platform/process/end-processes.ts";
import { processStatus, signalsOf } from "../platform/process/processes.ts";
import { send, signalNumber } from "../platform/process/signals.ts";
import { isEmpty, membersOf, type Tree } from "./tree.ts";

const SIGCONT = signalNumber("SIGCONT");
const SIGHUP = signalNumber("SIGHUP");
const SIGTERM = signalNumber("SIGTERM");
const POLL_MS = 20;

export interface StopOptions {
  signal: number;
  graceMs: number;
  hasTerminal: boolean;
}

/**
 * Sends `signal` to the whole tree and, after the grace period, SIGKILL until no process is left.
 * False when one is left. An interactive shell ignores SIGTERM, so on a terminal it also gets
 * SIGHUP.
 */
export async function stopTree(tree: Tree, { signal, graceMs, hasTerminal }: StopOptions): Promise<boolean> {
  const deadline = performance.now() + graceMs;
  for (const pid of membersOf(tree)) {
    send(pid, signal);
    if (hasTerminal && signal === SIGTERM && endsOnHangUp(pid)) send(pid, SIGHUP);
    send(pid, SIGCONT); // a stopped process would not handle the signal
  }
  for (; performance.now() < deadline; await Bun.sleep(POLL_MS)) if (isEmpty(tree)) return true;
  return killTree(tree);
}

/**
 * Detects an interactive shell: it ignores SIGTERM and handles SIGHUP. A process that ignores
 * SIGTERM without handling SIGHUP keeps its grace period.
 */
function endsOnHangUp(pid: number): boolean {
  const { ignored, caught } = signalsOf(pid);
  return (ignored & bit(SIGTERM)) !== 0 && (caught & bit(SIGHUP)) !== 0;
}

const bit = (signal: number): number => 1 << (signal - 1);

/**
 * Sends SIGKILL until no process is left. False when one is: another user's (sudo), or one that
 * hangs in the kernel.
 */
export async function killTree(tree: Tree): Promise<boolean> {
  if (tree.group !== null) killGroup(tree, tree.group);
  return endProcesses({
    look: (member) => membersOf(tree, { member }),
    isGone: () => isEmpty(tree),
  });
}

/**
 * Kills the control group at once, unless it contains independent processes, which must outlive the
 * session. The group is frozen between check and kill. Freezing takes effect with a delay: a
 * process that becomes independent meanwhile may be ended.
 */
function killGroup(tree: Tree, group: ControlGroup): void {
  let hasIndependent = false;
  group.freeze(true);
  try {
    membersOf(tree, { independent: () => (hasIndependent = true) });
    if (!hasIndependent) group.kill();
  } finally {
    group.freeze(false);
  }
}

/**
 * Continues our helper processes, which report the command's end, if the command has stopped them.
 */
export function continueStopped(helpers: readonly number[]): void {
  for (const pid of helpers) {
    const status = processStatus(pid);
    if (status?.parent === process.pid && status.state === "T") send(pid, SIGCONT);
  }
}
