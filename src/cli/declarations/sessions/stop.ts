import type { Declaration } from "../declaration.ts";

export const STOP = {
  name: "stop",
  summary: "end sessions: SIGTERM to all they started, then SIGKILL",
  usage: ["holt stop ID... [--grace DURATION] [--signal SIGNAL] [--json]"],
  examples: [
    ["holt stop web", "five seconds to end by itself"],
    ["holt stop --grace 30s db", "half a minute"],
    ["holt stop --signal INT job", "as if Ctrl-C were pressed, and SIGKILL after the grace"],
  ],
  options: [
    { name: "grace", value: "DURATION", summary: "how long before SIGKILL (5s; 0s: at once)" },
    {
      name: "signal",
      value: "SIGNAL",
      offers: ["TERM", "INT", "HUP", "QUIT", "KILL", "USR1", "USR2"],
      summary: "instead of SIGTERM",
    },
    { name: "json", summary: 'print {"stopped": [...], "already_ended": [...]}' },
  ],
  positionals: { name: "ID", least: 1, most: Number.POSITIVE_INFINITY, completes: "living" },
  about: `Returns when they have ended. Says nothing when it worked, also for a session that had ended before. Of a session whose holder was killed, what it left
running is ended. Of a command that is started again (\`holt start --restart\`) any attempt stands for all that follow.`,
} as const satisfies Declaration;
