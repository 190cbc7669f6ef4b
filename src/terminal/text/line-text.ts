/**
 * Renders one raw line (the bytes between two line feeds) on its own, so that it reads the same
 * wherever reading began. It becomes several lines where the program moved to other rows.
 */
import { endOfAscii } from "../parser/ascii.ts";
import { TextView } from "./text-view.ts";

export interface RawLineText {
  text: string;
  /** Offset in the raw line where this line ends. */
  end: number;
}

/** Most lines are plain text and need no rendering. */
const PLAIN = /^[\t\x20-\x7e]*(?:\r?\n)?$/;
const LF = 10;
/** A start row that no relative move connects with the rows of a terminal. */
const NO_ROW = 1_000_000;

export function textOfRawLine(bytes: Uint8Array): RawLineText[] {
  const buffer = bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = buffer.toString("latin1");
  if (PLAIN.test(text)) return [{ text: withoutEnd(text), end: buffer.length }];
  return rendered(buffer);
}

function rendered(bytes: Buffer): RawLineText[] {
  const view = new TextView({ row: NO_ROW });
  const lines: RawLineText[] = [];
  let line = "";
  const take = (given: string, end: number): void => {
    for (let cut = given.indexOf("\n"), from = 0; ; cut = given.indexOf("\n", from)) {
      if (cut < 0) {
        line += given.slice(from);
        return;
      }
      lines.push({ text: line + given.slice(from, cut), end });
      line = "";
      from = cut + 1;
    }
  };
  for (let at = 0; at < bytes.length; ) {
    // Bytes that may end a line are pushed alone, so that the end's offset is known.
    const end = Math.max(at + 1, endOfAscii(bytes, at));
    take(view.push(bytes.subarray(at, end)), end);
    at = end;
  }
  if (bytes.at(-1) !== LF) take(view.end(), bytes.length);
  if (line !== "") lines.push({ text: line, end: bytes.length });
  return lines;
}

function withoutEnd(text: string): string {
  if (!text.endsWith("\n")) return text;
  return text.slice(0, text.endsWith("\r\n") ? -2 : -1);
}
