import { isFinal } from "../protocol/session.ts";
import { endSession } from "./end-session.ts";
import type { LocalSessions } from "./local-sessions.ts";

/** Stops every session, each with the same grace; answers the ids once all have ended. The first that cannot be is thrown, after all. */
export async function stopAll(sessions: LocalSessions, graceMs?: number): Promise<string[]> {
  const living = sessions.list().filter(({ state }) => !isFinal(state));
  const params = { reason: "daemon_shutdown" as const, ...(graceMs === undefined ? {} : { grace_ms: graceMs }) };
  const outcomes = await Promise.allSettled(
    living.map(({ session_id }) => endSession(sessions, session_id, { method: "stop", params })),
  );
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
  return living.map(({ session_id }) => session_id);
}
