/** Options and help page of `holt gc`. */
import { type Declaration, NO_POSITIONALS } from "../declaration.ts";

export const GC = {
  name: "gc",
  summary: "remove expired sessions",
  usage: ["holt gc [--dry-run] [--json]"],
  examples: [
    ["holt gc --dry-run", "show what would be removed, and how much space that frees"],
    ["holt gc", "remove it now"],
  ],
  options: [
    { name: "dry-run", short: "n", summary: "remove nothing; print what would be removed" },
    { name: "json", summary: 'print {"dry_run", "decisions": [...], "freed_bytes"}, with one decision per session' },
  ],
  positionals: NO_POSITIONALS,
  about: `Ended sessions are kept for 24 hours, or for as long as \`--retention\` says. All transcripts
together may use 20 GiB of disk; above that, holt removes the oldest ended sessions first. It never
removes a running session.

\`holt run\`, the daemon and \`holt mcp\` clean up automatically. An automatic cleanup only marks
expired sessions; one at least 10 minutes later removes them if they are still expired, in case the
clock was wrong. \`holt gc\` and the disk quota do not wait.

When stdout is not a terminal, it prints one line per removed session with tab-separated fields: id,
reason, bytes.`,
} as const satisfies Declaration;
