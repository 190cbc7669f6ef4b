/**
 * Finds the processes that a dead holder left running: the command, its terminal session, and
 * processes with the session's id in their environment.
 */
import type { ProcessIdentity } from "../../protocol/types/session.ts";
import { bytesOf } from "../../protocol/types/bytes.ts";
import { readdirSync, readFileSync, readlinkSync } from "../fs/libc-fs.ts";
import { forEachProcess, isSame, type ProcessStatus, processStatus } from "./processes.ts";

/**
 * Calls `found` with each process at once: a moment later it may have replaced itself by a fork.
 */
export function survivorsOf(
  sessionId: string,
  command: ProcessIdentity | null,
  found: (pid: number) => void = () => {},
): number[] {
  const mark = Buffer.from(bytesOf(`HOLT_SESSION_ID=${sessionId}\0`));
  const commandLives = command !== null && isSame(command);
  const heldElsewhere = new Map<number, boolean>();
  const isOurs = ({ pid, parent, session }: ProcessStatus): boolean =>
    (commandLives && (pid === command.pid || session === command.pid)) ||
    (carries(pid, mark) && !heldElsewhere.getOrInsertComputed(parent, () => isHeldElsewhere(parent, sessionId)));
  const survivors: number[] = [];
  forEachProcess((status) => {
    if (status.state === "Z" || status.pid === process.pid || !isOurs(status)) return;
    found(status.pid);
    survivors.push(status.pid);
  });
  return survivors;
}

function carries(pid: number, mark: Buffer): boolean {
  try {
    const environment = Buffer.from(readFileSync(`/proc/${pid}/environ`));
    const at = environment.indexOf(mark);
    return at === 0 || (at > 0 && environment[at - 1] === 0);
  } catch {
    return false; // ended, or another user's process
  }
}

/**
 * A session id is unique only within one state directory. A live session of the same id in another
 * has a holder among the process's ancestors, with its lock file open.
 */
function isHeldElsewhere(parent: number, sessionId: string): boolean {
  const lock = `/sessions/${sessionId}/append.lock`;
  for (let above = parent; above > 1; above = processStatus(above)?.parent ?? 0) if (hasOpen(above, lock)) return true;
  return false;
}

function hasOpen(pid: number, tail: string): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`).endsWith(tail));
  } catch {
    return false;
  }
}
