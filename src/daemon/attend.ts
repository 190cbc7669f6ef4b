/** A command that somebody waits for. */
import { endSession } from "../client/end-session.ts";
import type { CallContext } from "./household.ts";

export interface Attendance {
  /** Null: for as long as it takes. */
  ms: number | null;
  /** It lives on when whoever waits is gone. */
  detached: boolean;
}

/** Returns when it has ended, when the time is up, or when the call is given up, which ends it: nobody else would. */
export async function attend(context: CallContext, id: string, { ms, detached }: Attendance): Promise<void> {
  const { household, signal } = context;
  const ended = household.births.endOf(id);
  if (ended !== null && !signal.aborted) await soonest(ended, ms, signal);
  if (signal.aborted && !detached) await giveUp(context, id);
}

async function soonest(ended: Promise<unknown>, ms: number | null, signal: AbortSignal): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = ms === null ? null : setTimeout(over.resolve, ms);
  const abort = (): void => over.resolve();
  signal.addEventListener("abort", abort, { once: true });
  void ended.then(() => over.resolve());
  await over.promise;
  if (timer !== null) clearTimeout(timer);
  signal.removeEventListener("abort", abort);
}

async function giveUp({ household: { sessions, log } }: CallContext, id: string): Promise<void> {
  try {
    await endSession(sessions, id, { method: "stop", params: {} });
  } catch (error) {
    log.write("warn", "a canceled command was not ended", { session_id: id, error: String(error) });
  }
}
