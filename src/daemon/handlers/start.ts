import { circumstances } from "../../platform/circumstances.ts";
import { HoltError, isErrorCode } from "../../protocol/errors.ts";
import { justStarted } from "../../transcript/state.ts";
import { newSessionId } from "../../protocol/session-id.ts";
import type { StartReply } from "../../protocol/start-request.ts";
import type { Handler } from "../handlers.ts";
import { startRequestFrom } from "../start-request-from.ts";

const OUR_CIRCUMSTANCES = circumstances();

export const start: Handler<"session.start"> = async (params, { household }) => {
  if (household.isClosing)
    throw new HoltError("EBUSY", "the daemon is stopping every session", { hint: "try again later" });
  if (params.circumstances !== undefined && params.circumstances !== OUR_CIRCUMSTANCES) {
    throw new HoltError("EBUSY", "the daemon runs under other limits than the caller", {
      hint: "start it without the daemon",
      details: { cold: true },
    });
  }
  const request = startRequestFrom(params);
  const id = request.session_id ?? newSessionId();
  const reply = await household.pool.start({ ...request, session_id: id }, household.births.expect(id));
  if ("error" in reply) throw refusal(reply);
  return justStarted(reply.meta);
};

function refusal({ error, exit_code }: Extract<StartReply, { error: object }>): HoltError {
  const { code, message, hint } = error;
  return new HoltError(isErrorCode(code) ? code : "EINTERNAL", message, {
    details: { exit_code },
    ...(hint === null ? {} : { hint }),
  });
}
