/**
 * Refuses an attach that would make sessions show each other in a cycle, which prints without end.
 * Session A shows session B if a client of B runs inside A. A new client closes a cycle if the
 * session it runs in is shown by its target, directly or over several steps.
 */
import { readFileSync } from "../../platform/fs/libc-fs.ts";
import { processStatus } from "../../platform/process/processes.ts";
import { splitNul } from "../../platform/process/raw-arguments.ts";
import { textOf } from "../../protocol/types/bytes.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import { isFinal, type Session } from "../../protocol/types/session.ts";
import { HOLDER_COMMAND } from "../../protocol/wire/start-request.ts";
import { callOnce } from "../holder/holder-call.ts";
import type { LocalSessions } from "../sessions/local-sessions.ts";

const ID_VARIABLE = "HOLT_SESSION_ID=";

/**
 * The sessions that show this process's output: its own and, if that one is a `holt run`, those
 * around it.
 */
export function enclosingSessions(): string[] {
  const found = new Set<string>();
  for (let pid = process.pid; pid > 1; pid = processStatus(pid)?.parent ?? 0) {
    if (isDetachedHolder(pid)) break; // a background session is not shown where it was started
    const own = procStrings(pid, "environ").find((entry) => entry.startsWith(ID_VARIABLE));
    if (own !== undefined) found.add(own.slice(ID_VARIABLE.length));
  }
  return [...found];
}

function isDetachedHolder(pid: number): boolean {
  return procStrings(pid, "cmdline").slice(0, 3).includes(HOLDER_COMMAND);
}

function procStrings(pid: number, file: "environ" | "cmdline"): string[] {
  try {
    return splitNul(readFileSync(`/proc/${pid}/${file}`)).map(textOf);
  } catch {
    return []; // the process ended, or belongs to another user
  }
}

/**
 * EBADARGS if attaching to `target` from inside `enclosing` closes a cycle. Outside of any session,
 * no holder is called.
 */
export async function refuseCycle(
  sessions: LocalSessions,
  target: Session,
  enclosing: readonly string[],
): Promise<void> {
  const seen = new Set(enclosing);
  // The loop also visits sessions that it adds.
  for (const id of seen) {
    for (const { client_id, inside } of await clientsOf(sessions, id)) {
      if (inside?.includes(target.session_id) === true) throw cycleError(target.session_id, id, client_id);
      for (const next of inside ?? []) seen.add(next);
    }
  }
}

async function clientsOf(sessions: LocalSessions, id: string) {
  try {
    const session = sessions.get(id);
    return isFinal(session.state) ? [] : (await callOnce(session, "clients", {})).clients;
  } catch (error) {
    // The session is removed, in another state directory, or silent: it shows nothing.
    if (error instanceof HoltError) return [];
    throw error;
  }
}

function cycleError(target: string, shown: string, client: string): HoltError {
  return new HoltError(
    "EBADARGS",
    `session ${target} shows session ${shown}, which shows this terminal: both would print without end`,
    {
      hint: `attach from a terminal outside of them, or detach that client first: \`holt detach ${shown} --client ${client}\``,
    },
  );
}
