/** `holt kill`. */
import { command } from "../../declarations/command.ts";
import { KILL } from "../../declarations/sessions/kill.ts";
import { endSessions } from "./end-sessions.ts";

export const main = command(KILL, ({ options, positionals }) =>
  endSessions(positionals, { verb: "killed", json: options.json, end: { method: "kill", params: {} } }),
);
