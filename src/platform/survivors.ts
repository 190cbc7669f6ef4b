/** What a lost holder left running: the command itself, its terminal session, and whoever carries the session's id. */
import type { ProcessIdentity } from "../protocol/session.ts";
import { bytesOf } from "../protocol/bytes.ts";
import { readdirSync, readFileSync, readlinkSync } from "./fs.ts";
import { allProcesses, isSame, type ProcessStatus } from "./processes.ts";

export function survivorsOf(sessionId: string, command: ProcessIdentity | null): number[] {
  const mark = Buffer.from(bytesOf(`HOLT_SESSION_ID=${sessionId}\0`));
  const commandLives = command !== null && isSame(command);
  const all = allProcesses();
  const parents = new Map(all.map((status) => [status.pid, status.parent]));
  const isOurs = ({ pid, session }: ProcessStatus): boolean =>
    (commandLives && (pid === command.pid || session === command.pid)) ||
    (carries(pid, mark) && !isHeldElsewhere(pid, sessionId, parents));
  return all
    .filter((status) => status.state !== "Z" && status.pid !== process.pid && isOurs(status))
    .map(({ pid }) => pid);
}

function carries(pid: number, mark: Buffer): boolean {
  try {
    const environment = Buffer.from(readFileSync(`/proc/${pid}/environ`));
    const at = environment.indexOf(mark);
    return at === 0 || (at > 0 && environment[at - 1] === 0);
  } catch {
    return false; // gone, or another user's
  }
}

/**
 * An id is one session's only within its state directory: another may have a living session of the same id, whose holder, somewhere above the
 * process, has its lock open.
 */
function isHeldElsewhere(pid: number, sessionId: string, parents: ReadonlyMap<number, number>): boolean {
  const lock = `/sessions/${sessionId}/append.lock`;
  for (let above = parents.get(pid) ?? 0; above > 1; above = parents.get(above) ?? 0)
    if (hasOpen(above, lock)) return true;
  return false;
}

function hasOpen(pid: number, tail: string): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`).endsWith(tail));
  } catch {
    return false;
  }
}
