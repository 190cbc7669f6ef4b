/** Options and help page of `holt logs`. */
import type { Declaration } from "../declaration.ts";

export const LOGS = {
  name: "logs",
  summary: "print or follow a session's output",
  usage: [
    "holt logs ID [-f] [--tail N] [--text | --raw | --json] [options]",
    "holt logs ID [--head N] [--tail N] [--range FROM..TO] [--grep REGEX [-i] [-C N]] [--max-tokens N]",
  ],
  examples: [
    ["holt logs web", "print all output; safe on a terminal"],
    ["holt logs -f --tail 20 web", "print the last 20 lines and follow"],
    ["holt logs --text web | less", "page through it as plain text"],
    ["holt logs --grep error -C 2 build", "matching lines, with two lines of context"],
    ["holt logs --head 20 --tail 20 build", "the first and the last 20 lines"],
    ["holt logs --max-tokens 2000 build", "shorten it to fit a model's context"],
    ["holt logs --raw web > web.bin", "the recorded bytes, unchanged"],
    ["holt logs --channel stderr build", "only stderr of a piped command"],
    ["holt logs --json --since 81920 web", "chunks with cursors, from cursor 81920 on"],
  ],
  options: [
    { name: "follow", short: "f", summary: "keep printing new output until the session ends" },
    {
      name: "text",
      summary: "print text: no escape sequences, progress bars in their final state (default on a terminal)",
    },
    { name: "raw", summary: "print the recorded bytes unchanged (default when piped or redirected)" },
    { name: "tail", short: "n", value: "N", kind: "count", summary: "start at the last N lines" },
    {
      name: "head",
      value: "N",
      kind: "count",
      counts: "lines",
      summary: "print the first N lines; with `--tail`, both ends",
    },
    {
      name: "grep",
      short: "g",
      value: "REGEX",
      summary: "print matching lines; exit code 1 if none match",
    },
    { name: "fixed-strings", short: "F", summary: "treat the `--grep` pattern as plain text" },
    { name: "ignore-case", short: "i", summary: "ignore case in `--grep`" },
    {
      name: "context",
      short: "C",
      value: "N",
      kind: "count",
      counts: "lines",
      summary: "print N lines before and after each match",
    },
    {
      name: "before",
      short: "B",
      value: "N",
      kind: "count",
      counts: "lines",
      summary: "print N lines before each match",
    },
    {
      name: "after",
      short: "A",
      value: "N",
      kind: "count",
      counts: "lines",
      summary: "print N lines after each match",
    },
    { name: "range", value: "FROM..TO", summary: "print only output between two cursors; either may be omitted" },
    { name: "cursors", summary: "print each line's cursor before it" },
    {
      name: "max-tokens",
      value: "N",
      kind: "count",
      counts: "tokens, each taken for 3 bytes",
      summary: "print at most N tokens (3 bytes each); a note gives the cursor of omitted lines",
    },
    {
      name: "since",
      value: "CURSOR",
      kind: "count",
      summary: "start at this cursor (see `holt help cursors`)",
    },
    {
      name: "channel",
      value: "CHANNEL",
      choices: ["pty", "stdout", "stderr"],
      summary: "print only this channel: pty, stdout or stderr",
    },
    {
      name: "json",
      summary: "print one JSON object per chunk: cursor, channel, timestamp, data (base64)",
    },
  ],
  positionals: { name: "ID", least: 1, most: 1, completes: "session" },
  about: `All output goes to stdout in the order it was recorded, including the command's stderr;
\`--channel\` selects one channel. With \`-f\`, it exits when the session ends. Ctrl-C exits earlier
and does not affect the session.

# Text or raw bytes
On a terminal the default is \`--text\`: recorded escape sequences cannot change colours, move the
cursor or send queries to your terminal. In a pipe or a file the default is \`--raw\`. Use
\`--text\` in a pipe that ends on your terminal (\`less -R\`, \`cat\`): raw bytes can make the
terminal type answers into your shell.

# Lines
\`--head\`, \`--grep\`, \`--cursors\` and \`--max-tokens\` work on lines of text, without escape
sequences. With \`--json\` each line is an object: cursor, channel, line, and with \`--grep\` match.

\`--range\` prints the lines that end within the range, each one whole; of a line that continues
past the range, or is very long, only the part within it. With \`--raw\`, or with \`--json\` alone,
it prints the bytes.

\`--max-tokens\` replaces identical lines by one line with a count (\`⟨×37⟩\`), and leaves out the
middle, or with \`--tail\` the beginning.

# Missing output
Output that was not recorded (past the session's limit, or while the disk was full) is skipped, and
a line on stderr says so; with \`--json\`, \`{"gap":{"from":"10","to":"51"}}\`. If nothing is
printed because the cursor is past the end or the channel has no output, stderr says so; with
\`--json\`, \`{"note":"…"}\`.`,
} as const satisfies Declaration;
