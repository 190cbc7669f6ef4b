import { SCREEN_FORMATS } from "../../../protocol/types/screen-format.ts";
import type { Declaration } from "../declaration.ts";

export const SCREEN = {
  name: "screen",
  summary: "what a session's terminal shows, now or at an earlier cursor",
  usage: ["holt screen ID [--format FORMAT] [--at CURSOR] [--json]"],
  examples: [
    ["holt screen web", "its text"],
    ["holt screen htop --format ansi", "with its colours"],
    ["holt screen vim --format svg > vim.svg", "a picture"],
    ["holt screen build --at 81920", "as it was when so many bytes had been printed"],
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
      summary: "as it was there (default: now)",
    },
    {
      name: "json",
      summary: "print the cursor, lines, row and column of the terminal's cursor, title and modes as JSON",
    },
  ],
  positionals: { name: "ID", least: 1, most: 1, completes: "session" },
  about: `Rendered by an emulator, also for sessions that have ended. The first look at a long transcript takes a while (progress on stderr); after that its keyframes
bring any moment of it in an instant. Only sessions on a terminal have a screen.`,
} as const satisfies Declaration;
