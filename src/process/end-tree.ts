/** The two ways in which a session's tree is ended: asked first, or killed at once. */
import type { ControlGroup } from "../platform/process/cgroup.ts";
import { endProcesses } from "../platform/process/end-processes.ts";
import { processStatus, signalsOf } from "../platform/process/processes.ts";
import { send, signalNumber } from "../platform/process/signals.ts";
import { isEmpty, membersOf, type Tree } from "./tree.ts";

const SIGCONT = signalNumber("SIGCONT");
const SIGHUP = signalNumber("SIGHUP");
const SIGTERM = signalNumber("SIGTERM");
const LOOK_MS = 20;

export interface StopOptions {
  signal: number;
  graceMs: number;
  hasTerminal: boolean;
}

/**
 * `signal` to the whole tree; after the grace, SIGKILL until nothing is left. False when something is left all the same. An interactive shell ignores
 * SIGTERM and ends when its terminal does: where there is a terminal, the shell gets SIGHUP too.
 */
export async function stopTree(tree: Tree, { signal, graceMs, hasTerminal }: StopOptions): Promise<boolean> {
  const deadline = performance.now() + graceMs;
  for (const pid of membersOf(tree)) {
    send(pid, signal);
    if (hasTerminal && signal === SIGTERM && mindsItsTerminal(pid)) send(pid, SIGHUP);
    send(pid, SIGCONT); // stopped, it could not act on it
  }
  for (; performance.now() < deadline; await Bun.sleep(LOOK_MS)) if (isEmpty(tree)) return true;
  return killTree(tree);
}

/** An interactive shell ignores SIGTERM and handles SIGHUP. A process that ignores SIGTERM and does not handle SIGHUP is spared for the grace. */
function mindsItsTerminal(pid: number): boolean {
  const { ignored, caught } = signalsOf(pid);
  return (ignored & bit(SIGTERM)) !== 0 && (caught & bit(SIGHUP)) !== 0;
}

const bit = (signal: number): number => 1 << (signal - 1);

/** SIGKILL until nothing is left. False when something is: another user's, as of sudo, or one that hangs in the kernel. */
export async function killTree(tree: Tree): Promise<boolean> {
  if (tree.group !== null) killGroup(tree, tree.group);
  return endProcesses({
    look: (member) => membersOf(tree, { member }),
    isGone: () => isEmpty(tree),
  });
}

/**
 * The kernel ends all of it at once, but would not spare what is to outlive the session. The group is frozen, so that little can become that between the look and
 * the kill. The kernel freezes a group soon, not at once: a process that becomes that meanwhile may be ended.
 */
function killGroup(tree: Tree, group: ControlGroup): void {
  let isShared = false;
  group.freeze(true);
  try {
    membersOf(tree, { apart: () => (isShared = true) });
    if (!isShared) group.kill();
  } finally {
    group.freeze(false);
  }
}

/** Ours, that the command may have stopped: they tell of its end. */
export function continueStopped(helpers: readonly number[]): void {
  for (const pid of helpers) {
    const status = processStatus(pid);
    if (status?.parent === process.pid && status.state === "T") send(pid, SIGCONT);
  }
}
