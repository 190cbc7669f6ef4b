/** Options and help page of `holt search`. */
import type { Declaration } from "../declaration.ts";

export const SEARCH = {
  name: "search",
  summary: "search the output of all sessions",
  usage: ["holt search TEXT [--regex] [-i] [--project PROJECT] [--since WHEN] [--limit N] [--json]"],
  examples: [
    ["holt search refused", "find the sessions that printed it"],
    ["holt search --regex 'error|panic' --since 1h", "search sessions of the last hour"],
    ["holt logs --range 81920.. --head 20 build", "print 20 lines from the cursor of a hit"],
  ],
  options: [
    { name: "regex", short: "e", summary: "TEXT is a regular expression" },
    { name: "ignore-case", short: "i", summary: "ignore case" },
    { name: "project", value: "PROJECT", summary: "search only sessions of this project" },
    {
      name: "since",
      value: "WHEN",
      summary: "skip sessions that ended before: a duration (1h) or a time (2026-11-15T21:26:24Z)",
    },
    {
      name: "limit",
      short: "n",
      value: "N",
      kind: "count",
      counts: "hits",
      summary: "print at most N hits (default 50)",
    },
    {
      name: "per-session",
      value: "N",
      kind: "count",
      counts: "hits",
      summary: "print at most N hits per session (default 10)",
    },
    { name: "json", summary: "print the hits as JSON" },
  ],
  positionals: { name: "TEXT", least: 1, most: 1 },
  about: `Searches all stored transcripts, newest sessions first. Each hit is printed as the session's id, the
cursor of the line, and the line without escape sequences: \`k3f9q2:81920: connection refused\`. On
a terminal, the session's name follows the id.

Exits with 1 if nothing is found.`,
} as const satisfies Declaration;
