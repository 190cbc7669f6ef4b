/**
 * Shows a submitted command as if it had been typed at the prompt, instead of the line that holt
 * types. Before that line, the holder writes to the terminal to save the prompt's end (DECSC). When
 * the shell takes the command, it prints a return to that position, erases the line and shows the
 * command, all before the mark where the output begins.
 *
 * The saved position is one on the screen, which must not scroll meanwhile: IND first makes room
 * below the prompt for as many rows as the line may take, and keeps the column. Only the display
 * depends on this: on a small screen, or after a resize, a part of the line may stay.
 */
import type { TerminalSize } from "../../protocol/types/session.ts";

const ESC = "\x1b";
const SHOWN_CHARACTERS = 200;
const LINE_END = /\s*\n\s*/g;
/** Characters that control a terminal or change the direction of text. */
const ACTING = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu;

/** Saves the cursor position, from which `typed` characters and a return follow. */
export function saveCursor(typed: number, { cols, rows }: TerminalSize): string {
  const taken = Math.floor((Math.max(cols, 1) - 1 + typed) / Math.max(cols, 1)) + 1;
  const room = Math.min(taken, rows - 1);
  return room > 0 ? `${`${ESC}D`.repeat(room)}${ESC}[${room}A${ESC}7` : `${ESC}7`;
}

/**
 * The text that the shell prints, with a newline. If the position was lost, the line stays and the
 * command is shown below it.
 */
export function commandDisplay(command: string, place: "saved" | "lost"): string {
  const line = command.trim().replace(LINE_END, " ⏎ ").replace(ACTING, " ");
  const characters = Array.from(line.slice(0, 2 * SHOWN_CHARACTERS + 1));
  const isLong = characters.length > SHOWN_CHARACTERS;
  const text = isLong ? `${characters.slice(0, SHOWN_CHARACTERS).join("")}…` : line;
  return place === "saved" ? `${ESC}8${ESC}[J${text}` : `${ESC}[2m${text}${ESC}[22m`;
}
