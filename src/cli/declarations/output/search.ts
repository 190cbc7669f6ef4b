import type { Declaration } from "../declaration.ts";

export const SEARCH = {
  name: "search",
  summary: "find text in what any session has printed",
  usage: ["holt search TEXT [--regex] [-i] [--project PROJECT] [--since WHEN] [--limit N] [--json]"],
  examples: [
    ["holt search refused", "which session said so, and where"],
    ["holt search --regex 'error|panic' --since 1h", "of what ran in the last hour"],
    ["holt logs --range 81920.. --head 20 build", "then read on from a cursor that it found"],
  ],
  options: [
    { name: "regex", short: "e", summary: "TEXT is a regular expression" },
    { name: "ignore-case", short: "i", summary: "upper and lower case are the same" },
    { name: "project", value: "PROJECT", summary: "only sessions of this project" },
    {
      name: "since",
      value: "WHEN",
      summary: "not what ended before: a duration (1h), or a time (2026-11-15T21:26:24Z)",
    },
    { name: "limit", short: "n", value: "N", kind: "count", counts: "hits", summary: "at most N hits (default 50)" },
    {
      name: "per-session",
      value: "N",
      kind: "count",
      counts: "hits",
      summary: "at most N of one session (default 10)",
    },
    { name: "json", summary: "print the hits as JSON" },
  ],
  positionals: { name: "TEXT", least: 1, most: 1 },
  about: `All transcripts that are kept are looked through, those of the newest sessions first. A hit is the session's id, the cursor of the line, and the line, without escape
sequences: \`k3f9q2:81920: connection refused\`. In a terminal the session's name stands behind its id.

Exit codes: 0; 1 where nothing is found.`,
} as const satisfies Declaration;
