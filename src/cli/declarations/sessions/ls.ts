/** Options and help page of `holt ls`. */
import { SESSION_STATES } from "../../../protocol/types/session.ts";
import { type Declaration, NO_POSITIONALS } from "../declaration.ts";

/** Expired sessions are already removed, so none can be listed. */
const LISTED = SESSION_STATES.filter((state) => state !== "expired");

export const LS = {
  name: "ls",
  summary: "list running and recently ended sessions",
  usage: ["holt ls [--all] [--state STATE] [--limit N] [--quiet | --json]"],
  examples: [
    ["holt ls", "running sessions, and those that ended in the last hour"],
    ["holt ls --all", "all sessions still kept"],
    ["holt ls --state failed", "sessions in one state, of any age"],
    ["holt rm $(holt ls -q --state exited)", "pass the ids to another command"],
    ["holt ls --json | jq '.sessions[].argv'", "for programs"],
  ],
  options: [
    {
      name: "all",
      short: "a",
      summary: "include sessions that ended over an hour ago, and earlier attempts of restarted commands",
    },
    {
      name: "state",
      short: "s",
      value: "STATE",
      choices: LISTED,
      summary: `only sessions in this state: ${LISTED.join(", ")}`,
    },
    { name: "limit", short: "n", value: "N", kind: "count", summary: "list at most N sessions" },
    { name: "quiet", short: "q", summary: "print ids only, one per line" },
    { name: "json", summary: 'print {"sessions": [...]}' },
  ],
  positionals: NO_POSITIONALS,
  about: `Running sessions come first, then ended ones, newest first. AGE is the time since the session
started.

When stdout is not a terminal, it prints one line per session, without header or colour, with
tab-separated fields: id, name, state, creation time, command, last line of output. The state is the
one that \`holt show\` prints: \`signaled SIGTERM\` where the table says \`timeout\`. \`--json\`
includes the reason.`,
} as const satisfies Declaration;
