/** Options and help page of `holt screen`. */
import { SCREEN_FORMATS } from "../../../protocol/types/screen-format.ts";
import type { Declaration } from "../declaration.ts";

export const SCREEN = {
  name: "screen",
  summary: "show a session's screen, now or at a cursor",
  usage: ["holt screen ID [--format FORMAT] [--at CURSOR] [--json]"],
  examples: [
    ["holt screen web", "as text"],
    ["holt screen htop --format ansi", "with colours"],
    ["holt screen vim --format svg > vim.svg", "as a picture"],
    ["holt screen build --at 81920", "as it was at cursor 81920"],
  ],
  options: [
    {
      name: "format",
      short: "f",
      value: "FORMAT",
      choices: SCREEN_FORMATS,
      summary: "text (default), ansi, html or svg",
    },
    {
      name: "at",
      value: "CURSOR",
      kind: "count",
      counts: "bytes: a cursor",
      summary: "show the screen at this cursor (default: now)",
    },
    {
      name: "json",
      summary: "print the transcript cursor, lines, terminal cursor position, title and modes as JSON",
    },
  ],
  positionals: { name: "ID", least: 1, most: 1, completes: "session" },
  about: `Works for running and ended sessions that have a terminal. Rendering a long transcript takes a while
the first time (stderr shows the progress); stored keyframes make it fast afterwards.`,
} as const satisfies Declaration;
