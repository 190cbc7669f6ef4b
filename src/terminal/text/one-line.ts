/**
 * Makes untrusted text (a name, an argument, the last line of output) fit for one line of a table
 * or a message.
 */
import { TextView, renderText } from "./text-view.ts";

/** Line and paragraph separators. */
const SEPARATORS = /[\u2028\u2029]/g;

const encoder = new TextEncoder();

export function oneLine(text: string): string {
  if (isPlain(text)) return text;
  return renderText(encoder.encode(text)).replace(SEPARATORS, "").replace(/\s+/g, " ").trim();
}

/**
 * Absolute cursor moves: many of them mean a full-screen program, whose last output is a fragment.
 */
const CURSOR_ADDRESS = /\x1b\[\d+;\d+[Hf]/g;
const MIN_ADDRESSES = 4;
const LEAVE_ALTERNATE = "\x1b[?1049l";
const ENTER_ALTERNATE = "\x1b[?1049h";

function isFullScreen(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
  const left = text.lastIndexOf(LEAVE_ALTERNATE);
  if (text.lastIndexOf(ENTER_ALTERNATE) > left) return true;
  return left < 0 && (text.match(CURSOR_ADDRESS)?.length ?? 0) >= MIN_ADDRESSES;
}

/**
 * The last line with visible text, of output that may begin inside a line; empty for full-screen
 * programs.
 */
export function lastLine(bytes: Uint8Array): string {
  if (isFullScreen(bytes)) return "";
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
