/**
 * Who watches sees a command that is given as if somebody had typed it behind the prompt, though what is typed there is a line of holt's own. Before it
 * is, the holder writes to the terminal, as the shell could, what keeps the prompt's end (DECSC). When the shell takes the command it prints what goes
 * back there, erases the line, and shows the command: all of it before the mark at which the output begins.
 *
 * The place is one on the screen, which must not scroll meanwhile: so many rows as the line may take are made below the prompt first, by a
 * movement (IND) that leaves the column as it is. Nothing but how it looks depends on this: on a screen with fewer rows, or when it is resized
 * meanwhile, something of the line may stay.
 */
import type { TerminalSize } from "../../protocol/types/session.ts";

const ESC = "\x1b";
const SHOWN_CHARACTERS = 200;
const LINE_END = /\s*\n\s*/g;
/** What acts on a terminal, or turns the direction of the text. */
const ACTING = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu;

/** `typed` characters follow, and a return. Wherever in its row the prompt ends. */
export function saveCursor(typed: number, { cols, rows }: TerminalSize): string {
  const taken = Math.floor((Math.max(cols, 1) - 1 + typed) / Math.max(cols, 1)) + 1;
  const room = Math.min(taken, rows - 1);
  return room > 0 ? `${`${ESC}D`.repeat(room)}${ESC}[${room}A${ESC}7` : `${ESC}7`;
}

/** For the shell to print, with a newline. `place` says whether that was kept: otherwise the line stays, and the command is below it. */
export function commandDisplay(command: string, place: "saved" | "lost"): string {
  const line = command.trim().replace(LINE_END, " ⏎ ").replace(ACTING, " ");
  const characters = Array.from(line.slice(0, 2 * SHOWN_CHARACTERS + 1));
  const isLong = characters.length > SHOWN_CHARACTERS;
  const text = isLong ? `${characters.slice(0, SHOWN_CHARACTERS).join("")}…` : line;
  return place === "saved" ? `${ESC}8${ESC}[J${text}` : `${ESC}[2m${text}${ESC}[22m`;
}
