/** Lists this process's children, and reaps orphans, which it adopts as their subreaper. */
import { fileConstants } from "../platform/native/constants.ts";
import { openSync, readFromStart } from "../platform/fs/libc-fs.ts";
import { libc } from "../platform/native/libc.ts";
import { waitFor } from "../platform/process/wait.ts";

/** Makes orphaned descendants children of this process instead of init. */
export function becomeSubreaper(): void {
  const PR_SET_CHILD_SUBREAPER = 36;
  if (process.platform === "linux" && !isSubreaper) libc().prctl(PR_SET_CHILD_SUBREAPER, 1n, 0n, 0n, 0n);
  isSubreaper = true;
}

let isSubreaper = false;

/**
 * Reaps ended orphans one pid at a time: waiting for any child would reap those that other code
 * waits for.
 */
export function reapOrphans(except: ReadonlySet<number>): void {
  for (const pid of ownChildren() ?? []) if (!except.has(pid)) waitFor(pid, { block: false, stops: false });
}

/**
 * The children, including ended ones until they are reaped. Exact: only this process reaps, so
 * while the list is read a child can be added but none removed. Null where the kernel has no such
 * list.
 */
export function ownChildren(): number[] | null {
  if (process.platform !== "linux") return [];
  try {
    childrenFile ??= openSync(`/proc/self/task/${process.pid}/children`, fileConstants.O_RDONLY);
    return parseNumbers(readFromStart(childrenFile));
  } catch {
    return null;
  }
}

/** Parses numbers, each followed by a space. */
function parseNumbers(list: Uint8Array): number[] {
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

/**
 * Kept open: opening takes longer than reading, and callers wait for it at the end of a session.
 */
let childrenFile: number | null = null;
