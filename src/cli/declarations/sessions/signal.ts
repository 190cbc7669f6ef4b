import type { Declaration } from "../declaration.ts";

export const SIGNAL = {
  name: "signal",
  summary: "send a signal to a session's command",
  usage: ["holt signal ID SIGNAL"],
  examples: [
    ["holt signal web HUP", "make it read its configuration again"],
    ["holt signal job STOP", "halt it; CONT lets it go on"],
  ],
  options: [],
  positionals: {
    name: "ID SIGNAL",
    least: 2,
    most: 2,
    completes: "living",
    second: ["HUP", "INT", "QUIT", "KILL", "TERM", "USR1", "USR2", "STOP", "CONT", "TSTP", "WINCH"],
  },
  about: "To the command's process group, by name (INT, SIGINT, RTMIN+3) or number.",
} as const satisfies Declaration;
