/** Measures and cuts text by terminal columns. Input must not contain escape sequences. */

export function displayWidth(text: string): number {
  return Bun.stringWidth(text);
}

/** 0 for a combining mark, 2 for a wide character. */
export function characterWidth(codePoint: number): number {
  return codePoint < 0x300 ? 1 : Bun.stringWidth(String.fromCodePoint(codePoint));
}

const ELLIPSIS = "…";

/** At most `columns` wide; an ellipsis marks the cut. */
export function cutToWidth(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  if (columns <= 0) return "";
  let kept = "";
  let width = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    width += displayWidth(segment);
    if (width > columns - 1) break;
    kept += segment;
  }
  return kept + ELLIPSIS;
}

export function padToWidth(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - displayWidth(text)));
}
