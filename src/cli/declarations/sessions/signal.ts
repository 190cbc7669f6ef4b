/** Options and help page of `holt signal`. */
import type { Declaration } from "../declaration.ts";

export const SIGNAL = {
  name: "signal",
  summary: "send a signal to a session's command",
  usage: ["holt signal ID SIGNAL"],
  examples: [
    ["holt signal web HUP", "make a server reload its configuration"],
    ["holt signal job STOP", "suspend it; CONT resumes it"],
  ],
  options: [],
  positionals: {
    name: "ID SIGNAL",
    least: 2,
    most: 2,
    completes: "living",
    second: ["HUP", "INT", "QUIT", "KILL", "TERM", "USR1", "USR2", "STOP", "CONT", "TSTP", "WINCH"],
  },
  about: "Signals the command's process group. SIGNAL is a name (INT, SIGINT, RTMIN+3) or a number.",
} as const satisfies Declaration;
