/** `holt signal`. */
import { callHolder } from "../../../client/holder/holder-call.ts";
import { LocalSessions } from "../../../client/sessions/local-sessions.ts";
import { command } from "../../declarations/command.ts";
import { SIGNAL } from "../../declarations/sessions/signal.ts";
import { signalFrom } from "../../options/signal-names.ts";

export const main = command(SIGNAL, async ({ positionals: [reference = "", name = ""] }) => {
  const signal = signalFrom(name);
  await callHolder(new LocalSessions().resolve(reference), "signal", { signal });
  return 0;
});
