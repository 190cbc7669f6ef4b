/** Handler of session.start. */
import { contextHash } from "../../platform/process/context-hash.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import { startedSession } from "../../transcript/read/state.ts";
import type { Handler } from "./handlers.ts";
import { startRequestFrom } from "../sessions/start-request-from.ts";

const DAEMON_CONTEXT_HASH = contextHash();

export const start: Handler<"session.start"> = async (params, { daemon }) => {
  const { circumstances: callerHash = DAEMON_CONTEXT_HASH } = params;
  // While all sessions are being stopped, the caller must not start one itself either: the pool
  // refuses.
  if (callerHash !== DAEMON_CONTEXT_HASH && !daemon.pool.isClosing) {
    throw new HoltError("EBUSY", "the daemon runs under other limits than the caller", {
      hint: "start it without the daemon",
      details: { cold: true },
    });
  }
  const { meta } = await daemon.pool.start(startRequestFrom(params, daemon.settings));
  return startedSession(meta);
};
