/** `holt stop`. */
import { MAX_GRACE_MS } from "../../../protocol/wire/holder-methods.ts";
import { command } from "../../declarations/command.ts";
import { STOP } from "../../declarations/sessions/stop.ts";
import { durationOf } from "../../options/durations.ts";
import { endSessions } from "./end-sessions.ts";
import { signalFrom } from "../../options/signal-names.ts";

export const main = command(STOP, ({ options, positionals }) => {
  const graceMs = durationOf("grace", options.grace, { leastMs: 0, mostMs: MAX_GRACE_MS });
  const params = {
    ...(options.signal === null ? {} : { signal: signalFrom(options.signal) }),
    ...(graceMs === null ? {} : { grace_ms: graceMs }),
  };
  return endSessions(positionals, { verb: "stopped", json: options.json, end: { method: "stop", params } });
});
