/** Our own children: orphans below us become ours, since we are their subreaper, and we reap them. */
import { fileConstants } from "../platform/native/constants.ts";
import { openSync, readFromStart } from "../platform/fs/libc-fs.ts";
import { libc } from "../platform/native/libc.ts";
import { waitFor } from "../platform/process/wait.ts";

/** From now on orphans below us become our children instead of init's. */
export function becomeSubreaper(): void {
  const PR_SET_CHILD_SUBREAPER = 36;
  if (process.platform === "linux" && !isSubreaper) libc().prctl(PR_SET_CHILD_SUBREAPER, 1n, 0n, 0n, 0n);
  isSubreaper = true;
}

let isSubreaper = false;

/** Reaps what was re-parented to us and has ended, one pid at a time: "any child" would also reap those that other code waits for. */
export function reapOrphans(except: ReadonlySet<number>): void {
  for (const pid of ownChildren() ?? []) if (!except.has(pid)) waitFor(pid, { block: false, stops: false });
}

/**
 * Ended ones included, until they are reaped. Exact: only we reap, so a child can join the list while we read it, but none can leave. Null where
 * the kernel has no such list.
 */
export function ownChildren(): number[] | null {
  if (process.platform !== "linux") return [];
  try {
    ownList ??= openSync(`/proc/self/task/${process.pid}/children`, fileConstants.O_RDONLY);
    return numbersIn(readFromStart(ownList));
  } catch {
    return null;
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

/** Kept open: to open it takes longer than to read it, and at the end of a session callers wait for it. */
let ownList: number | null = null;
