import { EXPORT_FORMATS } from "../../../protocol/types/export-format.ts";
import type { Declaration } from "../declaration.ts";

export const EXPORT = {
  name: "export",
  summary: "make a recording, a text or a page of a session",
  usage: ["holt export ID [--format FORMAT] [--output FILE] [--from CURSOR] [--to CURSOR]"],
  examples: [
    ["holt export web -o web.cast", "a recording; `asciinema play web.cast` shows it"],
    ["holt export web -f asciicast-v2 | asciinema play -", "for players that know only version 2"],
    ["holt export build -f html -o build.html", "a page with the colours, to pass on"],
    ["holt export build -f text --from 81920", "the text from cursor 81920 on"],
  ],
  options: [
    {
      name: "format",
      short: "f",
      value: "FORMAT",
      choices: EXPORT_FORMATS,
      summary: "asciicast (version 3, the default), asciicast-v2, text or html",
    },
    {
      name: "output",
      short: "o",
      value: "FILE",
      completes: "file",
      summary: "where to; `-` and the default are stdout",
    },
    {
      name: "from",
      value: "CURSOR",
      kind: "count",
      counts: "bytes from the start of the transcript",
      summary: "start at this byte of the transcript (see `holt help cursors`)",
    },
    {
      name: "to",
      value: "CURSOR",
      kind: "count",
      counts: "bytes from the start of the transcript",
      summary: "end before this byte",
    },
    { name: "json", summary: "with `--output FILE`: print what was written as JSON" },
  ],
  positionals: { name: "ID", least: 1, most: 1, completes: "session" },
  about: `Of a session that runs, what there is by now is exported.

A recording has the command's timing, the terminal's size and its changes, and in version 3 the exit status. What ran on pipes is shown as an
80x24 terminal would have shown it. Where output was not kept (past the session's limit, or while the disk was full) the recording has a
marker, the page a line, and stderr tells how many bytes are missing.

The text is what \`holt logs --text\` prints. The page is one file without scripts that follows the reader's light or dark theme; nothing
in the output can act on it.

FILE appears when it is complete, in place of one that was there; when something goes wrong there is no half of it.`,
} as const satisfies Declaration;
