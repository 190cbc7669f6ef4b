/** Options and help page of `holt rm`. */
import type { Declaration } from "../declaration.ts";

export const RM = {
  name: "rm",
  summary: "remove ended sessions and their transcripts",
  usage: ["holt rm ID... [--json]"],
  examples: [
    ["holt rm k3f9", "remove one session"],
    ["holt rm $(holt ls -q --state exited)", "remove all sessions that exited"],
  ],
  options: [{ name: "json", summary: 'print {"removed": [...]}' }],
  positionals: { name: "ID", least: 1, most: Number.POSITIVE_INFINITY, completes: "session" },
  about: `Prints nothing on success. Running sessions are not removed: end them first with \`holt stop\`. If
one of several sessions cannot be removed, the others are, and the exit code is 1.

Ended sessions are also removed automatically when their retention is over (see \`holt help gc\`).`,
} as const satisfies Declaration;
