/** Joins the lines of pages to one text, with notes on omitted parts. */
import { counted } from "../../../terminal/text/counted.ts";
import type { Page, PageStyle, PageLine } from "./page.ts";
import type { TextRead } from "./read-text.ts";

/** The line whose middle was left out; a larger page shows it whole. */
export function omittedInLine(pages: readonly Page[]): TextRead["omitted"] {
  const line = pages.flatMap(({ lines }) => lines).find(({ isShortened }) => isShortened === true);
  if (line === undefined) return null;
  return { lines: null, bytes: line.end - line.start, cursor: line.start, until: line.end };
}

/** A line, or a note on an omission. */
export interface ShownLine extends Partial<PageLine> {
  text: string;
  isNote?: boolean;
}

/**
 * A note on an omission within a line is placed in that line. Adjacent parts of a line are joined.
 */
export function joinLines(lines: readonly ShownLine[], { cursors }: PageStyle): { text: string; joints: number } {
  let joints = 0;
  let text = "";
  const printed = lines.filter(({ isNote }) => isNote !== true);
  for (const [number, { isCut, whole }] of printed.entries())
    if (isCut === "before" && printed[number - 1]?.isCut === "behind" && printed[number - 1]?.whole?.end === whole?.end)
      joints++;
  for (const [number, shown] of lines.entries()) {
    const last = lines[number - 1];
    if (last === undefined) text = shown.text;
    else if (last.isCut !== "behind" && shown.isCut !== "before") text += `\n${shown.text}`;
    else if (last.isNote === true ? shown.isCut === "before" : shown.isNote === true) text += ` ${shown.text}`;
    else if (last.end === shown.start && !cursors) {
      text += shown.text;
      if (shown.isCut !== "before" || last.isCut !== "behind") joints++;
    } else text += `\n${shown.text}`;
  }
  return { text, joints };
}

export function omissionNote({ lines, bytes, cursor }: NonNullable<TextRead["omitted"]>): string {
  const what = lines === null ? `${bytes.toLocaleString("en")} bytes` : counted(lines, "line");
  return `… ${what}, cursor ${cursor} …`;
}
