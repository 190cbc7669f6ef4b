import type { Declaration } from "../declaration.ts";

export const SHOW = {
  name: "show",
  summary: "everything about one session",
  usage: ["holt show ID [--json]"],
  examples: [
    ["holt show web", "by name"],
    ["holt show k3f9", "by the first characters of its id"],
    ["holt show web --json | jq .exit_code", "for programs"],
  ],
  options: [{ name: "json", summary: "print the session as JSON, its events under `events`" }],
  positionals: { name: "ID", least: 1, most: 1, completes: "session" },
  about: `Command, directory, state and how it came to it, times, processor time and memory, terminal, bytes of output, limits, timeouts and how clients share it where that was said, when retention
will remove it, and what happened in between. \`survivors\` are processes that still run: left behind by a lost holder, lingering, or impossible to end.

When the output is not a terminal: one line a field, name and value separated by a tab.`,
} as const satisfies Declaration;
