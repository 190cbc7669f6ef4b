/** Options and help page of `holt daemon`. */
import type { Declaration } from "../declaration.ts";

export const DAEMON = {
  name: "daemon",
  summary: "start, stop or inspect the API daemon",
  usage: ["holt daemon [start] [--foreground]", "holt daemon status | stop [--stop-sessions] | restart  [--json]"],
  examples: [
    ["holt daemon status", "show its version, pid, uptime and session counts"],
    ["holt daemon restart", "after an upgrade; sessions are not affected"],
    ["holt daemon stop", "stop it; sessions keep running"],
    ["holt daemon stop --stop-sessions", "stop all sessions first"],
    ["holt daemon --foreground", "for a service manager; Ctrl-C ends it"],
  ],
  options: [
    { name: "foreground", summary: "run in the foreground" },
    { name: "stop-sessions", summary: "with stop: stop every session first" },
    { name: "grace", value: "DURATION", summary: "with --stop-sessions: time before SIGKILL (default 5s)" },
    { name: "json", summary: "print the result as JSON" },
  ],
  positionals: { name: "ACTION", least: 0, most: 1, choices: ["start", "status", "stop", "restart"] },
  about: `You rarely need this command: \`holt start\` starts the daemon when none runs. Set HOLT_NO_DAEMON=1
to prevent that. The daemon listens on \`run/daemon.sock\` in the state directory and speaks
JSON-RPC 2.0, one message per line.

The daemon owns no session. If it is killed, nothing is lost, and the next daemon finds all
sessions. It keeps three idle holders ready so that sessions start fast; they end with it. It exits
after 15 minutes without calls or running sessions.

A newer holt replaces an older daemon when it connects to it. A daemon whose executable was replaced
or removed exits when its last client disconnects.

\`stop\` prints nothing on success, even if no daemon ran. \`stop\` and \`restart\` kill a daemon
that does not answer.

# Exit codes of status
  0\ta daemon runs
  3\tno daemon runs
  4\ta daemon runs but does not answer within five seconds`,
} as const satisfies Declaration;
