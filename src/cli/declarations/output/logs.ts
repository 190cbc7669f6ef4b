import type { Declaration } from "../declaration.ts";

export const LOGS = {
  name: "logs",
  summary: "print a session's output, from the start or as it comes",
  usage: [
    "holt logs ID [-f] [--tail N] [--text | --raw | --json] [options]",
    "holt logs ID [--head N] [--tail N] [--range FROM..TO] [--grep REGEX [-i] [-C N]] [--max-tokens N]",
  ],
  examples: [
    ["holt logs web", "all of it, safe to look at"],
    ["holt logs -f --tail 20 web", "the last 20 lines, and then whatever comes"],
    ["holt logs --text web | less", "page through it; a pager would let raw bytes act on your terminal"],
    [
      "holt logs --grep error -C 2 build",
      "lines that match, with two before and after each; of a gigabyte in an instant",
    ],
    ["holt logs --head 20 --tail 20 build", "both ends"],
    ["holt logs --max-tokens 2000 build", "what fits into a model's budget, and where the rest is"],
    ["holt logs --raw web > web.bin", "the bytes, unchanged"],
    ["holt logs --channel stderr build", "what a piped command wrote to stderr"],
    ["holt logs --json --since 81920 web", "chunks with cursors, from cursor 81920"],
  ],
  options: [
    { name: "follow", short: "f", summary: "go on with what comes until the session ends" },
    { name: "text", summary: "as text: escape sequences removed, progress bars as they ended (default on a terminal)" },
    { name: "raw", summary: "the very bytes the command wrote (default when piped or redirected)" },
    { name: "tail", short: "n", value: "N", kind: "count", summary: "start at the last N lines" },
    {
      name: "head",
      value: "N",
      kind: "count",
      counts: "lines",
      summary: "the first N lines; with `--tail`, both ends",
    },
    {
      name: "grep",
      short: "g",
      value: "REGEX",
      summary: "lines that match; exit code 1 where none does",
    },
    { name: "fixed-strings", short: "F", summary: "`--grep` is a text, not an expression" },
    { name: "ignore-case", short: "i", summary: "upper and lower case are the same to `--grep`" },
    {
      name: "context",
      short: "C",
      value: "N",
      kind: "count",
      counts: "lines",
      summary: "N lines before and after each that matches",
    },
    { name: "before", short: "B", value: "N", kind: "count", counts: "lines", summary: "N lines before" },
    { name: "after", short: "A", value: "N", kind: "count", counts: "lines", summary: "N lines after" },
    { name: "range", value: "FROM..TO", summary: "only from one cursor to another; either may be left out" },
    { name: "cursors", summary: "each line with its cursor before it" },
    {
      name: "max-tokens",
      value: "N",
      kind: "count",
      counts: "tokens, each taken for 3 bytes",
      summary: "at most so many; what is left out is named, with the cursor to get it",
    },
    {
      name: "since",
      value: "CURSOR",
      kind: "count",
      summary: "start at this byte of the transcript (see `holt help cursors`)",
    },
    {
      name: "channel",
      value: "CHANNEL",
      choices: ["pty", "stdout", "stderr"],
      summary: "only this channel: pty, stdout or stderr",
    },
    {
      name: "json",
      summary: "one JSON object a chunk, on stdout: cursor, channel, timestamp, data (base64)",
    },
  ],
  positionals: { name: "ID", least: 1, most: 1, completes: "session" },
  about: `Everything goes to stdout in the order it was captured, stderr of the command included; \`--channel\` picks one.

On a terminal the default is \`--text\`, so that nothing a command once printed can act on your terminal: no colours, no cursor
movement, no title changes. Through a pipe or into a file the default is \`--raw\`, byte for byte. Say which to be sure: in a pipe
that ends at your terminal (\`less -R\`, \`cat\`), raw bytes ask it what they once asked the command's, and it answers into your shell.

Bytes that were not kept (past the session's limit, or while the disk was full) are left out, and one line on stderr says so:
with \`--json\` it is \`{"gap":{"from":"10","to":"51"}}\`, also on stderr, so that stdout holds chunks alone. A line there
also says when nothing was printed because the cursor is past the end or the channel has no output; with \`--json\`, \`{"note":"…"}\`.

\`--head\`, \`--grep\`, \`--cursors\` and \`--max-tokens\` are of lines of text: what ends in a line feed, without escape sequences, a progress bar as it ended. With \`--json\` each line is
an object: cursor, channel, line, and with \`--grep\` match. A range gives the lines that end in it, each whole, and of one that goes on, or is long, what lies in it; with \`--raw\` and with \`--json\` alone, bytes. \`--max-tokens\` tells lines alike as
one that says how many (\`⟨×37⟩\`), and leaves out the middle of what does not fit, or with \`--tail\` the beginning.

With \`-f\` the command ends when the session does; Ctrl-C ends it earlier and leaves the session alone.

Exit codes: 0; with \`--grep\`, 1 where nothing matches.`,
} as const satisfies Declaration;
