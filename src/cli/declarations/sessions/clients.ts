/** Options and help page of `holt clients`. */
import type { Declaration } from "../declaration.ts";

export const CLIENTS = {
  name: "clients",
  summary: "list the clients attached to a session",
  usage: ["holt clients ID [--json]"],
  examples: [
    ["holt clients web", "show their ids, sizes and lag"],
    ["holt clients web --json | jq '.clients[].client_id'", "print the ids only"],
  ],
  options: [{ name: "json", summary: 'print {"clients": [...]}' }],
  positionals: { name: "ID", least: 1, most: 1, completes: "living" },
  about: `When stdout is not a terminal, it prints one line per client with tab-separated fields: client id,
role, size, time attached, lag in bytes, pid, location, and \`keyboard\` for the client that has the
input lease.`,
} as const satisfies Declaration;
