/** `holt help cursors`. */
import type { Topic } from "./topics.ts";

export const CURSORS: Topic = {
  name: "cursors",
  summary: "positions in a transcript, for reading on without gaps",
  text: `
# Cursors

A cursor is a byte offset in a transcript: the number of bytes the command printed before that
position. Cursor 0 is the beginning. The cursor after a chunk is the chunk's cursor plus its length.
Cursors never change.

# Reading on from a cursor
  $ holt logs --json build | tail -n 1
  {"cursor":"81920","channel":"stdout","timestamp":"…","data":"ZG9uZQo="}

  $ holt logs --json --since 81925 build      81920 and the 5 bytes of "done\\n"

With \`-f\`, new output follows without duplicates or gaps. Agents do the same over MCP with
\`session_read\` and \`session_wait\`. In JSON, cursors are decimal strings.

# Lines
When reading text, a cursor selects the lines that end after it: each whole, or the rest of a long
one. \`--cursors\`, also with \`--grep\`, prints the cursor at which each line begins.
\`--range 81920..90000\` prints the lines that end within the range. A note such as
\`… 3,412 lines, cursor 81920 …\` gives the cursor at which to read on.

# Gaps
Every byte the command prints is counted, even if it is not recorded. Output past a session's limit,
or while the disk was full, has cursors but no bytes. \`holt logs\` skips the gap and says so on
stderr; with \`--json\`, as \`{"gap":{"from":"10","to":"51"}}\`.

# Channels
A command on a terminal has the channel \`pty\`, and also \`stderr\` if its stderr was redirected. A
piped command has \`stdout\` and \`stderr\`. All channels of a session share one byte count, in the
order in which holt read them; \`--channel\` selects one and does not change the cursors.
`,
};
