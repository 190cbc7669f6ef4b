/** Ends a session, and returns when it has ended. */
import { endProcesses } from "../../platform/process/end-processes.ts";
import { isSame, processStatus } from "../../platform/process/processes.ts";
import { send, signalNumber } from "../../platform/process/signals.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import type { HolderMethods } from "../../protocol/wire/holder-methods.ts";
import { LAST_ATTEMPT_SIGNAL } from "../../protocol/types/restart.ts";
import { isFinal, type Session } from "../../protocol/types/session.ts";
import { deadlineAfter } from "../deadline.ts";
import { follow } from "../read/follow.ts";
import { callOnce, mayHaveRun } from "../holder/holder-call.ts";
import type { LocalSessions } from "./local-sessions.ts";

export type EndRequest =
  | { method: "stop"; params: HolderMethods["stop"]["params"] }
  | { method: "kill"; params: HolderMethods["kill"]["params"] };

const SIGTERM = 15;
const GRACE_MS = 5000;
const POLL_MS = 20;
const REQUEST_MS = 5000;
/** After the grace period SIGKILL follows; only processes blocked in the kernel survive it. */
const MARGIN_MS = 10_000;
const NEVER = new AbortController().signal;

/**
 * Returns whether there was anything to end. For a restarted command, the id of any attempt also
 * ends all later ones.
 */
export async function endSession(
  sessions: LocalSessions,
  id: string,
  ending: EndRequest,
  signal: AbortSignal = NEVER,
): Promise<boolean> {
  stopRestarts(sessions.get(id));
  const ended = new Set<string>();
  let hasEnded = false;
  for (let next: string | null = id; next !== null && !ended.has(next); next = nextAttempt(sessions, next)) {
    if (await endOne({ sessions, id: next, ending, signal })) hasEnded = true;
    ended.add(next);
  }
  return hasEnded;
}

/** A command that restarts at once could be gone each time the client reaches it. */
function stopRestarts({ restart, holder }: Session): void {
  if (restart !== null && isSame(holder)) send(holder.pid, signalNumber(LAST_ATTEMPT_SIGNAL));
}

/** Null if there is none, or if it has been removed. */
function nextAttempt(sessions: LocalSessions, id: string): string | null {
  try {
    const next = sessions.get(id).next_session_id;
    return next === null ? null : sessions.get(next).session_id;
  } catch (error) {
    if (error instanceof HoltError && error.code === "ENOTFOUND") return null;
    throw error;
  }
}

interface EndOneOptions {
  sessions: LocalSessions;
  id: string;
  ending: EndRequest;
  signal: AbortSignal;
}

async function endOne({ sessions, id, ending, signal }: EndOneOptions): Promise<boolean> {
  const session = sessions.get(id);
  const graceMs = ending.method === "stop" ? (ending.params.grace_ms ?? GRACE_MS) : null;
  if (isFinal(session.state)) {
    if (session.survivors.length > 0) await endSurvivors({ sessions, id, signal }, graceMs);
    return session.survivors.length > 0;
  }
  await requestEnd(sessions, session, ending, signal);
  using deadline = deadlineAfter((graceMs ?? 0) + MARGIN_MS, signal);
  const from = { id, cursor: 0, output: "none" as const, layout: sessions.layout };
  for await (const item of follow({ ...from, signal: deadline.signal })) if (item.type === "end") return true;
  requireNotCanceled(signal);
  throw new HoltError("ETIMEOUT", `session ${id} has not ended`, {
    hint: `\`holt show ${id}\` shows what is left of it`,
  });
}

/** A restarted command may be between two attempts, so the session is read again each time. */
async function requestEnd(
  sessions: LocalSessions,
  session: Session,
  { method, params }: EndRequest,
  signal: AbortSignal,
): Promise<void> {
  let deadline = performance.now() + REQUEST_MS;
  let isContinued = false;
  for (let now = session; !isFinal(now.state); now = sessions.get(session.session_id)) {
    continueHolder(now);
    try {
      await callOnce(now, method, params, { signal });
      return;
    } catch (error) {
      requireNotCanceled(signal);
      if (!(error instanceof HoltError)) throw error;
      if (error.code === "ESESSIONCLOSED") return; // it is ending already
      // A holder that closes the connection during the call has usually just ended.
      const isLost = error.code === "EIO" && (now.restart !== null || isHolderGone(now) || mayHaveRun(error));
      const isPassing = error.code === "EBUSY" || isLost;
      // A holder stopped after it was checked is continued, and gets the full time again.
      const needsContinue = !isContinued && isStopped(now);
      if (needsContinue) {
        deadline = performance.now() + REQUEST_MS;
        isContinued = true;
      } else if (!isPassing || performance.now() > deadline) throw error;
    }
    await Bun.sleep(POLL_MS);
  }
}

/** A killed holder keeps its lock until its last thread is gone, a while after the first. */
function isHolderGone({ holder }: Session): boolean {
  const state = processStatus(holder.pid)?.state ?? "gone";
  return ["gone", "Z", "X"].includes(state);
}

/** A stopped holder can neither answer nor end anything. */
function continueHolder(session: Session): void {
  if (isStopped(session)) send(session.holder.pid, signalNumber("SIGCONT"));
}

function isStopped({ holder }: Session): boolean {
  return processStatus(holder.pid)?.state === "T" && isSame(holder);
}

/**
 * Ends processes whose holder was killed or has left them. Without a grace period they get no
 * SIGTERM.
 */
async function endSurvivors(
  { sessions, id, signal: canceled }: Omit<EndOneOptions, "ending">,
  graceMs: number | null,
): Promise<void> {
  const look = (found?: (pid: number) => void): number[] => sessions.get(id, found).survivors;
  const isGone = (): boolean => look().length === 0;
  if (graceMs !== null) look((pid) => void send(pid, SIGTERM));
  const deadline = performance.now() + (graceMs ?? 0);
  while (performance.now() < deadline && !(isGone() && isGone())) {
    await Bun.sleep(POLL_MS);
    requireNotCanceled(canceled);
  }
  await endProcesses({ look, isGone });
}

/** A cancel ends only the wait: the request to end the session stands. */
function requireNotCanceled(signal: AbortSignal): void {
  if (signal.aborted) throw new HoltError("ECANCELED", "the wait for the session's end was canceled");
}
