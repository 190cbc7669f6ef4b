import type { Declaration } from "../declaration.ts";

export const CLIENTS = {
  name: "clients",
  summary: "who is attached to a session",
  usage: ["holt clients ID [--json]"],
  examples: [
    ["holt clients web", "their ids, sizes, and how far they lag"],
    ["holt clients web --json | jq '.clients[].client_id'", "for programs"],
  ],
  options: [{ name: "json", summary: 'print {"clients": [...]}' }],
  positionals: { name: "ID", least: 1, most: 1, completes: "living" },
  about: `When the output is not a terminal: one line a client, fields between tabs: client, role, size, since when, lag in bytes, pid, where; last "keyboard", of the one who has it where one alone may type.`,
} as const satisfies Declaration;
