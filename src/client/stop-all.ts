import { endSession } from "./end-session.ts";
import type { LocalSessions } from "./local-sessions.ts";

/** Holders at once: hundreds that all end in the same moment would keep each other, and us, from it. */
const AT_ONCE = 32;
/** One that takes longer only waits, for its grace perhaps. */
const BUSY_MS = 1000;

/** Stops every session, each with the same grace; answers the ids once all have ended. The first that cannot be is thrown, after all. */
export async function stopAll(sessions: LocalSessions, graceMs?: number): Promise<string[]> {
  const living = sessions.living();
  const params = { reason: "daemon_shutdown" as const, ...(graceMs === undefined ? {} : { grace_ms: graceMs }) };
  const failures: unknown[] = [];
  const ends: Promise<unknown>[] = [];
  const waiting = living.map(({ session_id }) => session_id);
  const work = async (): Promise<void> => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      const end = endSession(sessions, id, { method: "stop", params }).catch((error: unknown) => failures.push(error));
      ends.push(end);
      await Promise.race([end, Bun.sleep(BUSY_MS)]);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  await Promise.all(ends);
  if (failures.length > 0) throw failures[0];
  return living.map(({ session_id }) => session_id);
}
