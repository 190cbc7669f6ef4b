/** Ends many sessions, some at a time. A failure for one does not stop the others. */
import { HoltError } from "../../protocol/types/errors.ts";
import { endSession } from "./end-session.ts";
import type { LocalSessions } from "./local-sessions.ts";

/** Hundreds of holders that end at once would slow each other down. */
const MAX_CONCURRENT = 32;
/**
 * After this long, an end in progress no longer occupies a slot: it may be waiting for its grace
 * period.
 */
const SLOT_MS = 1000;

/** By id: whether there was anything to end. */
export type EndOutcomes = Map<string, PromiseSettledResult<boolean>>;

/**
 * Calls `end` a second time for sessions that could not be reached, once the others have ended: on
 * a busy machine a holder may answer too late.
 */
export async function endMany(ids: readonly string[], end: (id: string) => Promise<boolean>): Promise<EndOutcomes> {
  const outcomes = await endEach(ids, end);
  const unreached = ids.filter((id) => isUnreached(outcomes.get(id)));
  if (unreached.length === ids.length) return outcomes;
  return new Map([...outcomes, ...(await endEach(unreached, (id) => end(id).then(() => true)))]);
}

/** Stops every session with the same grace period. Returns the ids. */
export async function stopAll(sessions: LocalSessions, graceMs?: number): Promise<string[]> {
  const ids = sessions.living().map(({ session_id }) => session_id);
  const params = { reason: "daemon_shutdown" as const, ...(graceMs === undefined ? {} : { grace_ms: graceMs }) };
  const outcomes = await endMany(ids, (id) => endSession(sessions, id, { method: "stop", params }));
  const failed = [...outcomes].flatMap(([id, outcome]) => (outcome.status === "rejected" ? { id, ...outcome } : []));
  const [first] = failed;
  if (first !== undefined) throw notStopped(failed, ids.length, first.reason);
  return ids;
}

async function endEach(ids: readonly string[], end: (id: string) => Promise<boolean>): Promise<EndOutcomes> {
  const ends = new Map<string, Promise<PromiseSettledResult<boolean>>>();
  const waiting = ids.values();
  const work = async (): Promise<void> => {
    for (const id of waiting) {
      const ended = Promise.allSettled([end(id)]).then(([outcome]) => outcome);
      ends.set(id, ended);
      await Promise.race([ended, Bun.sleep(SLOT_MS)]);
    }
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT }, work));
  return new Map(await Promise.all([...ends].map(async ([id, ended]) => [id, await ended] as const)));
}

function isUnreached(outcome: PromiseSettledResult<boolean> | undefined): boolean {
  return outcome?.status === "rejected" && outcome.reason instanceof HoltError && outcome.reason.code === "EIO";
}

function notStopped(failed: readonly { id: string }[], of: number, first: unknown): HoltError {
  const ids = failed.map(({ id }) => id);
  const why = first instanceof Error ? first.message : String(first);
  const hint = first instanceof HoltError && first.hint !== null ? `${why}; ${first.hint}` : why;
  const details = { session_ids: ids };
  return new HoltError("EIO", `cannot stop ${ids.length} of ${of} sessions: ${ids.join(", ")}`, {
    hint,
    details,
    cause: first,
  });
}
