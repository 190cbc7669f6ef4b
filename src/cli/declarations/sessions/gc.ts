import { type Declaration, NO_POSITIONALS } from "../declaration.ts";

export const GC = {
  name: "gc",
  summary: "remove what retention and quota no longer keep",
  usage: ["holt gc [--dry-run] [--json]"],
  examples: [
    ["holt gc --dry-run", "what would go, and how much room that makes"],
    ["holt gc", "remove it now"],
  ],
  options: [
    { name: "dry-run", short: "n", summary: "remove nothing, only say what would go" },
    { name: "json", summary: 'print {"dry_run", "decisions": [...], "freed_bytes"}, with a decision for each session' },
  ],
  positionals: NO_POSITIONALS,
  about: `A session is kept for 24 hours after its end, or as long as its own \`--retention\` said. All transcripts together may take 20 GiB:
past that the oldest ended sessions go first. A session that runs is never removed.

You need not call this: \`holt run\`, the daemon and \`holt mcp\` do it as they go. They mark what has expired and remove it with a sweep
at least 10 minutes later that still finds it so, since the clock may have been wrong for a moment; this command and the quota do not wait. When the output is not a terminal: one line for each
session that goes, with id, reason and bytes separated by tabs.`,
} as const satisfies Declaration;
