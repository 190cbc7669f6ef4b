/**
 * A session's whole tree: the command's descendants, its process group and terminal session, and whoever escaped by setsid or a
 * double fork. Those are re-parented to the holder, which is their subreaper, so they too are found below it in /proc.
 */
import type { ControlGroup } from "../platform/process/cgroup.ts";
import { readFileSync, readlinkSync } from "../platform/fs/libc-fs.ts";
import { ownCommand } from "../platform/process/own-command.ts";
import {
  allProcesses,
  childrenOf,
  identityOf,
  isEnding,
  processStatus,
  type ProcessStatus,
} from "../platform/process/processes.ts";
import { hasChildren, hasEnded, isChild } from "../platform/process/wait.ts";
import { textOf } from "../protocol/types/bytes.ts";
import type { ProcessIdentity } from "../protocol/types/session.ts";
import { DAEMON_COMMAND, HOLDER_COMMAND } from "../protocol/wire/start-request.ts";
import { ownChildren } from "./own-children.ts";

const MOST_LOOKS = 50;
const ON_THEIR_OWN = [HOLDER_COMMAND, DAEMON_COMMAND];

/** Everything below this process: its holder is the session's root. */
export interface Tree {
  /** Below it too, but ours: the leader, which ends by itself once the command has. */
  helpers: ReadonlySet<number>;
  /** Below it, but not of the session, nor is what they started. */
  foreign: ReadonlySet<number>;
  /** That its processes are in; null: none of their own. */
  group: ControlGroup | null;
}

interface Visit {
  /** Before its own children are looked for. */
  member?: (pid: number) => void;
  /** A daemon or a holder that was started from inside. What it has started is not of the session. */
  apart?: (pid: number) => void;
}

/**
 * Everything alive in the tree, whatever session or group it is in, from parent to child. One that is made, or is re-parented to us, during the look may be
 * missing: only isEmpty() is a proof.
 */
export function membersOf({ helpers, foreign }: Tree, { member, apart }: Visit = {}): number[] {
  const childrenOfEach = kinship();
  const found: number[] = [];
  for (let queue = childrenOfEach(process.pid); queue.length > 0; ) {
    const next: number[] = [];
    for (const pid of queue) {
      if (foreign.has(pid) || hasEnded(pid)) continue;
      const status = processStatus(pid);
      if (status === null && !isChild(pid)) continue; // gone; a child of ours is hidden from us (hidepid)
      if (status !== null && isOnItsOwn(status)) {
        apart?.(pid);
        continue;
      }
      if (!helpers.has(pid) && status?.state !== "Z") {
        member?.(pid);
        found.push(pid);
      }
      next.push(...childrenOfEach(pid));
    }
    queue = next;
  }
  return found;
}

/** Not every kernel lists the children of a process: there all processes are looked at for their parents. */
function kinship(): (pid: number) => number[] {
  if (ownChildren() !== null) return childrenOf;
  const children = Map.groupBy(allProcesses(), ({ parent }) => parent);
  return (pid) => (children.get(pid) ?? []).map((child) => child.pid);
}

/**
 * A daemon or a holder that was started from inside the session: `holt start` promises that what it starts outlives whoever started it.
 * They lead a session of their own, and few others do, so hardly anybody's command line is read. A process can write any command line for itself: the
 * kernel's word for its executable has to agree.
 */
function isOnItsOwn({ pid, session }: ProcessStatus): boolean {
  if (pid !== session) return false;
  try {
    const words = textOf(readFileSync(`/proc/${pid}/cmdline`)).split("\0");
    const own = ownCommand();
    const isNamed = own.every((word, i) => words[i] === word) && ON_THEIR_OWN.includes(words[own.length] ?? "");
    return isNamed && [own[0], executableOf("self")].includes(executableOf(pid));
  } catch {
    return false; // gone, or its executable is not readable: it is not ours then
  }
}

/** An upgrade may delete the executable of a running process, or rename it: ours is renamed then, too. */
function executableOf(pid: number | "self"): string {
  return readlinkSync(`/proc/${pid}/exe`).replace(/ \(deleted\)$/, "");
}

/**
 * Proof that nothing of it is left, from our own children alone: whatever lives in the tree hangs below one of them, and is re-parented to us in the very
 * moment in which its parent ends. So if all have ended, and the list is the same afterwards, nothing is there that one of them could have left to us.
 */
export function isEmpty(tree: Tree): boolean {
  if (!hasChildren()) return true;
  const children = ownChildren();
  if (children === null)
    return membersOf(tree).length === 0 && membersOf(tree).length === 0 && allProcesses().length > 0;
  return children.every((pid) => isNothing(pid, tree)) && Bun.deepEquals(ownChildren(), children);
}

/** Whether nothing of the tree is left in this child of ours. */
function isNothing(pid: number, { helpers, foreign }: Tree): boolean {
  if (foreign.has(pid) || hasEnded(pid)) return true;
  const status = processStatus(pid);
  if (status === null) return false; // hidden from us (hidepid), or not to be read
  return helpers.has(pid) ? childrenOf(pid).every((below) => processStatus(below)?.state === "Z") : isOnItsOwn(status);
}

/** The processes that live, for the record; of one that replaces itself all the time, a pid that was there a moment ago. */
export function livingMembersOf(tree: Tree): ProcessIdentity[] {
  for (let look = 0; look < MOST_LOOKS && !isEmpty(tree); look++) {
    const alive = membersOf(tree).map((pid) => identityOf(pid));
    const lasting = alive.filter((identity) => !isEnding(identity));
    if (lasting.length > 0) return lasting;
  }
  return isEmpty(tree) ? [] : membersOf(tree).map((pid) => identityOf(pid));
}

/** Processor time of everything alive in it, in clock ticks. */
export function cpuTicksOf(tree: Tree): number {
  return membersOf(tree).reduce((sum, pid) => sum + (processStatus(pid)?.cpuTicks ?? 0), 0);
}
