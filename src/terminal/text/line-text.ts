/**
 * The text of one raw line: the bytes between two line feeds, taken for themselves, so that the same line reads the same wherever reading
 * began. Where a program moved to other rows within it, it is several lines of text.
 */
import { endOfAscii } from "../parser/ascii.ts";
import { TextView } from "./text-view.ts";

export interface RawLineText {
  text: string;
  /** How many bytes of the raw line it ends after. */
  end: number;
}

/** Most lines are nothing but text: they need no terminal. */
const PLAIN = /^[\t\x20-\x7e]*(?:\r?\n)?$/;
const LF = 10;
/** No move by rows leads from it to a row of a terminal, or back. */
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
    // What may end a line comes alone, so that where it ended is known.
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
