/** A session on a holder of the pool, whichever method asked for it. */
import { HoltError, isErrorCode } from "../protocol/errors.ts";
import { newSessionId } from "../protocol/session-id.ts";
import type { Final, Meta } from "../protocol/session.ts";
import type { StartReply, StartRequest } from "../protocol/start-request.ts";
import type { Household } from "./household.ts";

export interface Launched {
  meta: Meta;
  /** Its last word, once that was told; null where that is to be looked up. Of a short command it may have come with the answer. */
  end: Promise<Final | null>;
}

/** Answers once the outcome of the spawn is known. */
export async function launch(household: Household, request: StartRequest): Promise<Launched> {
  if (household.isClosing)
    throw new HoltError("EBUSY", "the daemon is stopping every session", { hint: "try again later" });
  const id = request.session_id ?? newSessionId();
  const { end, events } = household.births.expect(id);
  let reply: StartReply;
  try {
    const known = request.session_id === null ? { ...request, session_id: id } : request;
    reply = await household.pool.start(known, events);
  } catch (error) {
    events.gone();
    throw noHolder(error);
  }
  if ("error" in reply) throw refusal(reply);
  return { meta: reply.meta, end };
}

/** The daemon's own want: of descriptors, of processes, or of its executable, which was removed. The caller may do better. */
function noHolder(error: unknown): HoltError {
  if (error instanceof HoltError) return error; // it is not to be started at all
  const why = error instanceof Error ? error.message : String(error);
  return new HoltError("EBUSY", `the daemon cannot start a holder: ${why}`, {
    hint: "start it without the daemon; `holt daemon restart` may help",
    details: { cold: true },
    cause: error,
  });
}

function refusal({ error, exit_code, is_unheard }: Extract<StartReply, { error: object }>): HoltError {
  const { code, message, hint } = error;
  return new HoltError(isErrorCode(code) ? code : "EINTERNAL", message, {
    details: { exit_code, ...(is_unheard === true ? { cold: true } : {}) },
    ...(hint === null ? {} : { hint }),
  });
}
