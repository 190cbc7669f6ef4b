/**
 * Converts any bytes to text and back without loss: a byte that is not UTF-8 becomes a lone
 * surrogate (U+DC80 to U+DCFF), which UTF-8 never decodes to. Command lines in an old encoding can
 * then be parsed and sent as JSON.
 */
import { bytesOf, joined, textOf } from "../../protocol/types/bytes.ts";

const REPLACEMENT = "\ufffd";
const ESCAPE = 0xdc00;
const ESCAPED = /[\udc80-\udcff]/u;
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function losslessText(bytes: Uint8Array): string {
  const text = textOf(bytes);
  if (!text.includes(REPLACEMENT)) return text;
  let out = "";
  for (let at = 0; at < bytes.length; ) {
    const character = characterAt(bytes, at);
    out += character ?? String.fromCharCode(ESCAPE + (bytes[at] ?? 0));
    at += character === null ? 1 : bytesOf(character).length;
  }
  return out;
}

export function losslessBytes(text: string): Uint8Array {
  if (text.isWellFormed()) return bytesOf(text);
  const parts = [...text].map((character) =>
    ESCAPED.test(character) ? Uint8Array.of(character.charCodeAt(0) - ESCAPE) : bytesOf(character),
  );
  return joined(parts);
}

/** Null when no valid character starts here. */
function characterAt(bytes: Uint8Array, at: number): string | null {
  const first = bytes[at] ?? 0;
  const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  try {
    const character = strict.decode(bytes.subarray(at, at + length));
    return [...character].length === 1 ? character : null;
  } catch {
    return null;
  }
}
