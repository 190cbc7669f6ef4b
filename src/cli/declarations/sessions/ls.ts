import { SESSION_STATES } from "../../../protocol/types/session.ts";
import { type Declaration, NO_POSITIONALS } from "../declaration.ts";

/** An expired session is gone: there is nothing to list. */
const LISTED = SESSION_STATES.filter((state) => state !== "expired");

export const LS = {
  name: "ls",
  summary: "list sessions: what runs, and what ended lately",
  usage: ["holt ls [--all] [--state STATE] [--limit N] [--quiet | --json]"],
  examples: [
    ["holt ls", "what runs, and what ended in the last hour"],
    ["holt ls --all", "everything that is still kept"],
    ["holt ls --state failed", "only those in one state, whenever they ended"],
    ["holt rm $(holt ls -q --state exited)", "the ids alone, for other commands"],
    ["holt ls --json | jq '.sessions[].argv'", "for programs"],
  ],
  options: [
    {
      name: "all",
      short: "a",
      summary: "also those that ended more than an hour ago, and earlier attempts of what was started again",
    },
    {
      name: "state",
      short: "s",
      value: "STATE",
      choices: LISTED,
      summary: `only one state: ${LISTED.join(", ")}`,
    },
    { name: "limit", short: "n", value: "N", kind: "count", summary: "at most N sessions" },
    { name: "quiet", short: "q", summary: "ids only, one a line" },
    { name: "json", summary: 'print {"sessions": [...]}' },
  ],
  positionals: NO_POSITIONALS,
  about: `Running sessions come first, then the ended ones, the newest first. AGE counts from the session's start.

When the output is not a terminal there is no header and no colour: one line a session, its fields separated by tabs, in this
order: id, name, state, time of creation, command, last line of output. An empty field is empty. The state is what \`holt show\` calls it: where the table
says \`timeout\`, it is \`signaled SIGTERM\`, and the reason is in \`--json\`.`,
} as const satisfies Declaration;
