/** `holt kill`. */
import { command } from "./command.ts";
import { KILL } from "./declarations/kill.ts";
import { endSessions } from "./end-sessions.ts";

export const main = command(KILL, ({ options, positionals }) =>
  endSessions(positionals, { verb: "killed", json: options.json, end: { method: "kill", params: {} } }),
);
