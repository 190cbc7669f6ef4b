/** Foreign text (a name, an argument, the last line of output) made fit for one line of a table or a message. */
import { TextView, textOf } from "./text.ts";

/** Line and paragraph separators, and the marks that turn the direction of the text around them. */
const TURNS = /[\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

const encoder = new TextEncoder();

export function oneLine(text: string): string {
  if (isPlain(text)) return text;
  return textOf(encoder.encode(text)).replace(TURNS, "").replace(/\s+/g, " ").trim();
}

/** The last line that shows anything, of output that may begin in the middle of one. */
export function lastLine(bytes: Uint8Array): string {
  const view = new TextView();
  const lines = (view.push(bytes) + view.end()).split("\n");
  return oneLine(lines.findLast((line) => line.trim() !== "") ?? "").trim();
}

function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || (code > 0x7e && code < 0xa0) || code > 0x1fff) return false;
  }
  return true;
}
