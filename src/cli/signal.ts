/** `holt signal`. */
import { callHolder } from "../client/holder-call.ts";
import { LocalSessions } from "../client/local-sessions.ts";
import { command } from "./command.ts";
import { SIGNAL } from "./declarations/signal.ts";
import { signalFrom } from "./signal-names.ts";

export const main = command(SIGNAL, async ({ positionals: [reference = "", name = ""] }) => {
  const signal = signalFrom(name);
  await callHolder(new LocalSessions().resolve(reference), "signal", { signal });
  return 0;
});
