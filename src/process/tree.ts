/**
 * A session's process tree: all descendants of the command, including those that escaped by setsid
 * or a double fork. These are re-parented to the holder, their subreaper, so all are below it in
 * /proc.
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

const MAX_ATTEMPTS = 50;
const INDEPENDENT_COMMANDS = [HOLDER_COMMAND, DAEMON_COMMAND];

/** All processes below this one: the holder is the root of the session's tree. */
export interface Tree {
  /** holt's own processes: the leader, which ends by itself after the command. */
  helpers: ReadonlySet<number>;
  /** Processes below the holder that are not part of the session, with all their descendants. */
  foreign: ReadonlySet<number>;
  /** The session's control group; null: it has none of its own. */
  group: ControlGroup | null;
}

interface Visit {
  /** Called for each member before its children are looked up. */
  member?: (pid: number) => void;
  /** Called for a daemon or holder started inside the session. Its descendants are not members. */
  independent?: (pid: number) => void;
}

/**
 * All live members, parents before children, in any terminal session or process group. A process
 * made or re-parented meanwhile may be missing: only isEmpty() proves that none is left.
 */
export function membersOf({ helpers, foreign }: Tree, { member, independent }: Visit = {}): number[] {
  const childrenOfEach = childrenLookup();
  const found: number[] = [];
  for (let queue = childrenOfEach(process.pid); queue.length > 0; ) {
    const next: number[] = [];
    for (const pid of queue) {
      if (foreign.has(pid) || hasEnded(pid)) continue;
      const status = processStatus(pid);
      if (status === null && !isChild(pid)) continue; // ended; our own child may be hidden by hidepid instead
      if (status !== null && isIndependent(status)) {
        independent?.(pid);
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

/** Uses the kernel's list of children; without one, finds the parents of all processes. */
function childrenLookup(): (pid: number) => number[] {
  if (ownChildren() !== null) return childrenOf;
  const children = Map.groupBy(allProcesses(), ({ parent }) => parent);
  return (pid) => (children.get(pid) ?? []).map((child) => child.pid);
}

/**
 * A daemon or holder started inside the session, which must outlive it. It leads its own terminal
 * session, as few processes do, so few command lines are read. A process can change its command
 * line, so the executable in /proc must agree.
 */
function isIndependent({ pid, session }: ProcessStatus): boolean {
  if (pid !== session) return false;
  try {
    const words = textOf(readFileSync(`/proc/${pid}/cmdline`)).split("\0");
    const own = ownCommand();
    const isNamed = own.every((word, i) => words[i] === word) && INDEPENDENT_COMMANDS.includes(words[own.length] ?? "");
    return isNamed && [own[0], executableOf("self")].includes(executableOf(pid));
  } catch {
    return false; // ended, or not readable and so not holt
  }
}

/**
 * Compares equal after an upgrade, which deletes or renames the executable of all running
 * processes.
 */
function executableOf(pid: number | "self"): string {
  return readlinkSync(`/proc/${pid}/exe`).replace(/ \(deleted\)$/, "");
}

/**
 * Proves that no member is left, from our own children alone. Each member is below one of them, and
 * is re-parented to us at the moment its parent ends. So if all children have ended and the list is
 * unchanged afterwards, none of them left a process to us.
 */
export function isEmpty(tree: Tree): boolean {
  if (!hasChildren()) return true;
  const children = ownChildren();
  if (children === null)
    return membersOf(tree).length === 0 && membersOf(tree).length === 0 && allProcesses().length > 0;
  return children.every((pid) => isWithoutMembers(pid, tree)) && Bun.deepEquals(ownChildren(), children);
}

/** True when no member is left in this child of ours or below it. */
function isWithoutMembers(pid: number, { helpers, foreign }: Tree): boolean {
  if (foreign.has(pid) || hasEnded(pid)) return true;
  const status = processStatus(pid);
  if (status === null) return false; // hidden by hidepid, or not readable
  return helpers.has(pid)
    ? childrenOf(pid).every((below) => processStatus(below)?.state === "Z")
    : isIndependent(status);
}

/** The live members for the record. For one that keeps replacing itself, a pid of a moment ago. */
export function livingMembersOf(tree: Tree): ProcessIdentity[] {
  for (let look = 0; look < MAX_ATTEMPTS && !isEmpty(tree); look++) {
    const alive = membersOf(tree).map((pid) => identityOf(pid));
    const lasting = alive.filter((identity) => !isEnding(identity));
    if (lasting.length > 0) return lasting;
  }
  return isEmpty(tree) ? [] : membersOf(tree).map((pid) => identityOf(pid));
}

/** Processor time of all live members, in clock ticks. */
export function cpuTicksOf(tree: Tree): number {
  return membersOf(tree).reduce((sum, pid) => sum + (processStatus(pid)?.cpuTicks ?? 0), 0);
}
