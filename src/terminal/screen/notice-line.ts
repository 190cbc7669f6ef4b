/**
 * Draws a notice over the last row of the user's screen until that row is redrawn. The terminal
 * must be between sequences, as after a replay; the program's cursor and style stay.
 */
import { cutToWidth, padToWidth } from "../text/width.ts";

const CSI = "\x1b[";

interface Size {
  cols: number;
  rows: number;
}

export function noticeLine(text: string, { cols, rows }: Size): string {
  return onLastRow(rows, `${CSI}0;7m${padToWidth(cutToWidth(` ${text} `, cols), cols)}`);
}

/** DECSC also saves colours, character sets and origin mode. */
function onLastRow(rows: number, text: string): string {
  return `\x1b7${CSI}?6l${CSI}${rows};1H\x1b(B\x0f${text}\x1b8`;
}
