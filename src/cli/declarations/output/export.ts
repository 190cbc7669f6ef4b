/** Options and help page of `holt export`. */
import { EXPORT_FORMATS } from "../../../protocol/types/export-format.ts";
import type { Declaration } from "../declaration.ts";

export const EXPORT = {
  name: "export",
  summary: "export a session as a recording, text or HTML",
  usage: ["holt export ID [--format FORMAT] [--output FILE] [--from CURSOR] [--to CURSOR]"],
  examples: [
    ["holt export web -o web.cast", "a recording; play it with `asciinema play web.cast`"],
    ["holt export web -f asciicast-v2 | asciinema play -", "for players that support only version 2"],
    ["holt export build -f html -o build.html", "a web page with colours"],
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
      summary: "write to FILE (default `-`: stdout)",
    },
    {
      name: "from",
      value: "CURSOR",
      kind: "count",
      counts: "bytes from the start of the transcript",
      summary: "start at this cursor (see `holt help cursors`)",
    },
    {
      name: "to",
      value: "CURSOR",
      kind: "count",
      counts: "bytes from the start of the transcript",
      summary: "end before this cursor",
    },
    { name: "json", summary: "with `--output FILE`: print what was written as JSON" },
  ],
  positionals: { name: "ID", least: 1, most: 1, completes: "session" },
  about: `A running session is exported up to its current output. FILE appears only when it is complete, and
then replaces an existing one.

# Formats
  asciicast\ttiming, terminal size and resizes, and in version 3 the exit status; a piped command is shown on an 80x24 terminal
  text\tthe same text as \`holt logs --text\`
  html\tone file without scripts that follows the reader's light or dark theme; escape sequences in the output have no effect

Output that was not recorded (past the session's limit, or while the disk was full) becomes a marker
in a recording and a line in HTML. stderr says how many bytes are missing.`,
} as const satisfies Declaration;
