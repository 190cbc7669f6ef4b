import type { Declaration } from "../declaration.ts";

export const DAEMON = {
  name: "daemon",
  summary: "the process that serves the API; it starts by itself, and sessions do without it",
  usage: ["holt daemon [start] [--foreground]", "holt daemon status | stop [--stop-sessions] | restart  [--json]"],
  examples: [
    ["holt daemon status", "which one runs, since when, and what there is"],
    ["holt daemon restart", "after an upgrade; no session notices"],
    ["holt daemon stop", "sessions live on"],
    ["holt daemon stop --stop-sessions", "end them all, each with five seconds of grace"],
    ["holt daemon --foreground", "for a service manager; Ctrl-C ends it"],
  ],
  options: [
    { name: "foreground", summary: "stay here instead of going to the background" },
    { name: "stop-sessions", summary: "with stop: stop every session first" },
    { name: "grace", value: "DURATION", summary: "with --stop-sessions: how long before SIGKILL (5s)" },
    { name: "json", summary: "print the outcome as JSON" },
  ],
  positionals: { name: "ACTION", least: 0, most: 1, choices: ["start", "status", "stop", "restart"] },
  about: `\`holt start\` starts one when none runs, and does not wait for it. It listens on \`run/daemon.sock\` in the
state directory and speaks JSON-RPC 2.0, a message a line; \`nc -U\` will do.

It owns no session: killed at any moment, it loses nothing, and the next one finds them all. It keeps three idle holders, so that a session starts at once; they end with it. After 15
minutes without a call and without a living session it ends by itself. A newer holt replaces an older daemon when it meets one, and a daemon whose executable was replaced or removed makes room as soon as nobody is connected to it. HOLT_NO_DAEMON=1 does without.

\`status\` exits 3 when none runs, and 4 when one does not answer within five seconds. \`stop\` says nothing when it worked, also when none ran; it and
\`restart\` kill one that does not answer.`,
} as const satisfies Declaration;
