/**
 * Two sessions that are attached to each other print without end: each shows what the other shows of it. What a session prints is shown in another
 * where a client of the one runs inside the other; a new client closes a circle when what it is inside of is shown, over however many steps, in its target.
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

/** The sessions that show what this process prints: its own and, where that is a `holt run`, those around it. */
export function enclosingSessions(): string[] {
  const found = new Set<string>();
  for (let pid = process.pid; pid > 1; pid = processStatus(pid)?.parent ?? 0) {
    if (isDetachedHolder(pid)) break; // whatever it was started from does not show it
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
    return []; // gone, or another user's
  }
}

/** Throws where attaching to `target` from inside `around` would have no end. Nobody is asked anything from outside of any session. */
export async function refuseCycle(
  sessions: LocalSessions,
  target: Session,
  enclosing: readonly string[],
): Promise<void> {
  const seen = new Set(enclosing);
  // What is added on the way is walked, too.
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
    if (error instanceof HoltError) return []; // gone, of another state directory, or without a word: then it shows nothing
    throw error;
  }
}

function cycleError(target: string, shown: string, client: string): HoltError {
  return new HoltError(
    "EBADARGS",
    `session ${target} shows session ${shown}, which shows this terminal: both would print without end`,
    {
      hint: `attach from a terminal outside of them, or end that first: \`holt detach ${shown} --client ${client}\``,
    },
  );
}
