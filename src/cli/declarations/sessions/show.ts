/** Options and help page of `holt show`. */
import type { Declaration } from "../declaration.ts";

export const SHOW = {
  name: "show",
  summary: "show the details of one session",
  usage: ["holt show ID [--json]"],
  examples: [
    ["holt show web", "by name"],
    ["holt show k3f9", "by the first characters of its id"],
    ["holt show web --json | jq .exit_code", "for programs"],
  ],
  options: [{ name: "json", summary: "print the session as JSON, with its events in `events`" }],
  positionals: { name: "ID", least: 1, most: 1, completes: "session" },
  about: `Shows the command, directory, state and reason, times, CPU time and memory, terminal, output size,
limits, timeouts, sharing rules, when retention removes the session, and its latest events.
\`survivors\` are processes that still run after the session ended.

When stdout is not a terminal, it prints one line per field: name and value, separated by a tab.`,
} as const satisfies Declaration;
