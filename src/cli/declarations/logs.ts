import type { Declaration } from "../declaration.ts";

export const LOGS = {
  name: "logs",
  summary: "print a session's output, from the start or as it comes",
  usage: ["holt logs ID [-f] [--tail N] [--text | --raw | --json] [options]"],
  examples: [
    ["holt logs web", "all of it, safe to look at"],
    ["holt logs -f --tail 20 web", "the last 20 lines, and then whatever comes"],
    ["holt logs --text web | less", "page through it; a pager would let raw bytes act on your terminal"],
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

With \`-f\` the command ends when the session does; Ctrl-C ends it earlier and leaves the session alone.`,
} as const satisfies Declaration;
