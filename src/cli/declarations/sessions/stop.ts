/** Options and help page of `holt stop`. */
import type { Declaration } from "../declaration.ts";

export const STOP = {
  name: "stop",
  summary: "end sessions with SIGTERM, then SIGKILL",
  usage: ["holt stop ID... [--grace DURATION] [--signal SIGNAL] [--json]"],
  examples: [
    ["holt stop web", "send SIGTERM, and SIGKILL after five seconds"],
    ["holt stop --grace 30s db", "send SIGKILL after 30 seconds instead"],
    ["holt stop --signal INT job", "send SIGINT first, like Ctrl-C"],
  ],
  options: [
    { name: "grace", value: "DURATION", summary: "time before SIGKILL (default 5s; 0s: immediately)" },
    {
      name: "signal",
      value: "SIGNAL",
      offers: ["TERM", "INT", "HUP", "QUIT", "KILL", "USR1", "USR2"],
      summary: "send this signal instead of SIGTERM",
    },
    { name: "json", summary: 'print {"stopped": [...], "already_ended": [...]}' },
  ],
  positionals: { name: "ID", least: 1, most: Number.POSITIVE_INFINITY, completes: "living" },
  about: `Signals the command and every process it started, and returns when they have ended. Prints nothing
on success, even if a session had already ended. If a session's holder was killed, \`holt stop\`
ends the processes that were left running. For a command with \`--restart\`, stopping any attempt
also cancels the next ones.`,
} as const satisfies Declaration;
