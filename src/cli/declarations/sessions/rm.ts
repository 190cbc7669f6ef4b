import type { Declaration } from "../declaration.ts";

export const RM = {
  name: "rm",
  summary: "remove ended sessions and their transcripts",
  usage: ["holt rm ID... [--json]"],
  examples: [
    ["holt rm k3f9", "one of them"],
    ["holt rm $(holt ls -q --state exited)", "all that exited"],
  ],
  options: [{ name: "json", summary: 'print {"removed": [...]}' }],
  positionals: { name: "ID", least: 1, most: Number.POSITIVE_INFINITY, completes: "session" },
  about: `Says nothing when it worked. A session that still runs is refused: \`holt stop\` ends it. When several are named and one cannot
be removed, the others are, and the exit code is 1.

Ended sessions also go by themselves when their retention is over (see \`holt help gc\`).`,
} as const satisfies Declaration;
