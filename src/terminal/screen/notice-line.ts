/**
 * A line of our own over the last row of somebody's screen, until that is shown anew. It is for a terminal that is in no sequence, as
 * after a replay; where the program's cursor stands and how it writes stays as it was.
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

/** Saved with the cursor: colours, character sets, and whether rows are counted within margins. */
function onLastRow(rows: number, text: string): string {
  return `\x1b7${CSI}?6l${CSI}${rows};1H\x1b(B\x0f${text}\x1b8`;
}
