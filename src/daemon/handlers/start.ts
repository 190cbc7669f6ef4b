import { contextHash } from "../../platform/process/context-hash.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import { startedSession } from "../../transcript/read/state.ts";
import type { Handler } from "./handlers.ts";
import { startRequestFrom } from "../sessions/start-request-from.ts";

const OUR_CONTEXT = contextHash();

export const start: Handler<"session.start"> = async (params, { daemon }) => {
  const { circumstances: theirs = OUR_CONTEXT } = params;
  // While every session is being stopped nothing is to be started, not even by the caller itself.
  if (theirs !== OUR_CONTEXT && !daemon.pool.isClosing) {
    throw new HoltError("EBUSY", "the daemon runs under other limits than the caller", {
      hint: "start it without the daemon",
      details: { cold: true },
    });
  }
  const { meta } = await daemon.pool.start(startRequestFrom(params, daemon.settings));
  return startedSession(meta);
};
