import type { Topic } from "./topics.ts";

export const CURSORS: Topic = {
  name: "cursors",
  summary: "reading a transcript in parts and missing nothing",
  text: `
# Cursors

A cursor is a place in a transcript: the number of bytes the command had printed before it. Cursor 0 is the beginning. The cursor
after a chunk is the chunk's own cursor plus its length, and reading from there brings exactly what comes next. Cursors never
change: what was at 81920 once is at 81920 for ever.

# Reading on from where you were
  $ holt logs --json build | tail -n 1
  {"cursor":"81920","channel":"stdout","timestamp":"…","data":"ZG9uZQo="}

  $ holt logs --json --since 81925 build      81920, and the 5 bytes of "done\\n"

With \`-f\` the same goes on live: first what is there, then each byte as it comes, none twice and none left out. Agents do this over
MCP with \`session_read\` and \`session_wait\`, where cursors are decimal strings, as in JSON here.

# Lines
Of text, a cursor means the lines that end past it, each whole, or of a long one what follows: \`--cursors\` and \`--grep\` with it show where each line begins, \`--range 81920..90000\` has those that end
in between, and a line such as \`… 3,412 lines, cursor 81920 …\` tells where to read on.

# Gaps
Bytes are counted when the command prints them, kept or not. What came after a session's limit, or while the disk was full, has
cursors but no bytes: \`holt logs\` goes on behind the gap and says so on stderr, with \`--json\` as
\`{"gap":{"from":"10","to":"51"}}\`.

# Channels
A command on a terminal has one channel, \`pty\`, and where its stderr was redirected also \`stderr\`. A piped one has \`stdout\` and \`stderr\`, which share one count of bytes, in the order
in which holt read them. \`--channel\` picks one of them; the cursors stay the same.
`,
};
