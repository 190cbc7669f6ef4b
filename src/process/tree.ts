/**
 * A session's whole tree: the command's descendants, its process group and terminal session, and whoever escaped by setsid or a
 * double fork. Those are re-parented to the holder, which is their subreaper, so they too are found below it in /proc.
 */
import { fileConstants } from "../platform/constants.ts";
import { openSync, readFileSync, readFromStart } from "../platform/fs.ts";
import { libc } from "../platform/libc.ts";
import { allProcesses, childrenOf, processStatus, type ProcessStatus, signalsOf } from "../platform/processes.ts";
import { ownCommand } from "../platform/own-command.ts";
import { send, signalNumber } from "../platform/signals.ts";
import { hasChildren, waitFor } from "../platform/wait.ts";
import { textOf } from "../protocol/bytes.ts";
import { DAEMON_COMMAND, HOLDER_COMMAND } from "../protocol/start-request.ts";

const SIGCONT = signalNumber("SIGCONT");
const SIGHUP = signalNumber("SIGHUP");
const SIGKILL = signalNumber("SIGKILL");
const SIGTERM = signalNumber("SIGTERM");
const LOOK_MS = 20;
/** Each of so many looks is one at every process there is. */
const FULL_LOOKS = 5;
const ON_THEIR_OWN = [HOLDER_COMMAND, DAEMON_COMMAND];

/** From now on orphans below us become our children instead of init's. */
export function becomeSubreaper(): void {
  const PR_SET_CHILD_SUBREAPER = 36;
  if (process.platform === "linux" && !isSubreaper) libc().prctl(PR_SET_CHILD_SUBREAPER, 1n, 0n, 0n, 0n);
  isSubreaper = true;
}

let isSubreaper = false;

export interface Tree {
  /** The process below which everything belongs to the session: its holder. */
  root: number;
  /** Below it too, but ours: the leader, which ends by itself once the command has. */
  helpers: ReadonlySet<number>;
  /** Below it, but not of the session, nor is what they started. */
  foreign: ReadonlySet<number>;
}

export interface Stop {
  signal: number;
  graceMs: number;
  hasTerminal: boolean;
}

/** Everything alive in the tree, whatever session or group it is in. */
export function membersOf(
  { root, helpers, foreign }: Tree,
  processes: readonly ProcessStatus[] = allProcesses(),
): number[] {
  const children = Map.groupBy(processes, ({ parent }) => parent);
  const found: number[] = [];
  const queue = [root];
  for (let pid = queue.pop(); pid !== undefined; pid = queue.pop()) {
    for (const child of children.get(pid) ?? []) {
      if (foreign.has(child.pid) || isOnItsOwn(child)) continue;
      queue.push(child.pid);
      if (child.state !== "Z" && !helpers.has(child.pid)) found.push(child.pid);
    }
  }
  return found;
}

/**
 * The same for somebody who only looks, and looks again: from parent to child, which does not cost more where a thousand others run. One that
 * is made at this moment may be missing, which whoever ends a tree cannot bear.
 */
export function glimpseOf(tree: Tree): number[] {
  const { root, helpers, foreign } = tree;
  const first = childrenOf(root);
  if (first === null) return membersOf(tree);
  const found: number[] = [];
  for (let queue = first; queue.length > 0; ) {
    const own = queue.filter((pid) => !foreign.has(pid));
    found.push(...own.filter((pid) => !helpers.has(pid)));
    queue = own.flatMap((pid) => childrenOf(pid) ?? []);
  }
  return found;
}

/**
 * A daemon or a holder that was started from inside the session: `holt start` promises that what it starts outlives whoever started it.
 * They lead a session of their own, and few others do, so hardly anybody's command line is read.
 */
function isOnItsOwn({ pid, session }: ProcessStatus): boolean {
  if (pid !== session) return false;
  try {
    const words = textOf(readFileSync(`/proc/${pid}/cmdline`)).split("\0");
    const own = ownCommand();
    return own.every((word, i) => words[i] === word) && ON_THEIR_OWN.includes(words[own.length] ?? "");
  } catch {
    return false; // gone
  }
}

/** Whether anything of it is left, asked without a look at every process there is: what is in it hangs below our own children. */
export function isEmpty({ helpers, foreign }: Tree): boolean {
  if (!hasChildren()) return true;
  return ownChildren().every((pid) => foreign.has(pid) || helpers.has(pid) || isNothing(processStatus(pid)));
}

function isNothing(status: ProcessStatus | null): boolean {
  return status === null || status.state === "Z" || isOnItsOwn(status);
}

/** Processor time of everything alive in it, in clock ticks. */
export function cpuTicksOf(tree: Tree): number {
  const processes = allProcesses();
  const members = new Set(membersOf(tree, processes));
  return processes.reduce((sum, { pid, cpuTicks }) => (members.has(pid) ? sum + cpuTicks : sum), 0);
}

/**
 * `signal` to the whole tree; after the grace, SIGKILL until nothing is left. False when something is, all the same. An interactive shell ignores
 * SIGTERM and ends when its terminal does: where there is one, that is what it is told.
 */
export async function stopTree(tree: Tree, { signal, graceMs, hasTerminal }: Stop): Promise<boolean> {
  const deadline = performance.now() + graceMs;
  for (const pid of membersOf(tree)) {
    send(pid, signal);
    if (hasTerminal && signal === SIGTERM && mindsItsTerminal(pid)) send(pid, SIGHUP);
    send(pid, SIGCONT); // stopped, it could not act on it
  }
  for (let look = 1; performance.now() < deadline; look++) {
    // Five hundred sessions that are stopped at once must not all look at all processes all the time.
    if (isBare(tree) ?? (look % FULL_LOOKS === 0 && membersOf(tree).length === 0)) return true;
    await Bun.sleep(LOOK_MS);
  }
  return killTree(tree);
}

/** An interactive shell does, and not SIGTERM. Who ignores that and does nothing about SIGHUP has asked to be left alone for the grace. */
function mindsItsTerminal(pid: number): boolean {
  const { ignored, caught } = signalsOf(pid);
  return (ignored & bit(SIGTERM)) !== 0 && (caught & bit(SIGHUP)) !== 0;
}

const bit = (signal: number): number => 1 << (signal - 1);

/**
 * True when nothing lives below us, helpers included: there is nothing of the tree then. Null when only a look at every process can tell. Two
 * looks, since one that ends between our list and our look at it leaves its children to us.
 */
function isBare({ foreign }: Tree): true | null {
  const hasNone = (): boolean =>
    childrenOf(process.pid)?.every((pid) => foreign.has(pid) || isNothing(processStatus(pid))) ?? false;
  return hasNone() && hasNone() ? true : null;
}

/**
 * A process may fork between our look and our signal: look again until a look finds nothing, or nothing that we may end. False when something
 * is left: another user's, as of sudo, or one that hangs in the kernel.
 */
export async function killTree(tree: Tree): Promise<boolean> {
  const ROUNDS = 200;
  const FIRST_ROUNDS = 5;
  for (let round = 0; round < ROUNDS; round++) {
    const members = membersOf(tree);
    if (members.length === 0) return true;
    const reached = members.filter((pid) => send(pid, SIGKILL));
    if (reached.length === 0 && round > FIRST_ROUNDS) return false;
    await Bun.sleep(Math.min(round, LOOK_MS));
  }
  return false;
}

/** Ours, that the command may have stopped: they tell of its end. */
export function continueStopped(helpers: readonly number[]): void {
  for (const pid of helpers) {
    const status = processStatus(pid);
    if (status?.parent === process.pid && status.state === "T") send(pid, SIGCONT);
  }
}

/** Reaps what was re-parented to us and has ended, one pid at a time: "any child" would take somebody else's. */
export function reapOrphans(except: ReadonlySet<number>): void {
  for (const pid of ownChildren()) if (!except.has(pid)) waitFor(pid, { block: false, stops: false });
}

export function ownChildren(): number[] {
  try {
    ownList ??= openSync(`/proc/self/task/${process.pid}/children`, fileConstants.O_RDONLY);
    return numbersIn(readFromStart(ownList));
  } catch {
    return [];
  }
}

/** That have a space behind them. */
function numbersIn(list: Uint8Array): number[] {
  const numbers: number[] = [];
  let number = 0;
  for (const byte of list) {
    if (byte !== SPACE) number = number * 10 + byte - ZERO;
    else {
      numbers.push(number);
      number = 0;
    }
  }
  return numbers;
}

const [SPACE, ZERO] = [0x20, 0x30];

/** Kept open: to open it takes longer than to read it, and at the end of a session somebody waits for that. */
let ownList: number | null = null;
