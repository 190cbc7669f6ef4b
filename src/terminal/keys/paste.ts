/** Encodes a paste as a terminal sends it. */
import { bytesOf, joined } from "../../protocol/types/bytes.ts";
import type { Modes } from "../../protocol/types/modes.ts";

const START = bytesOf("\x1b[200~");
const END = bytesOf("\x1b[201~");
const LF = 0x0a;
const CR = 0x0d;
const ESC = 0x1b;
/** U+241B, the picture of an ESC. */
const ESC_PICTURE = bytesOf("\u241b");

/**
 * Line ends become CR, as Enter sends. In a bracketed paste every ESC becomes a picture: a closing
 * bracket hidden in the text would let the rest run as if typed.
 */
export function encodePaste(bytes: Uint8Array, { bracketed_paste }: Pick<Modes, "bracketed_paste">): Uint8Array {
  const typed = withReturns(bytes);
  return bracketed_paste ? joined([START, ...withoutEscapes(typed), END]) : typed;
}

function withReturns(bytes: Uint8Array): Uint8Array {
  if (!bytes.includes(LF)) return bytes;
  const out = new Uint8Array(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === LF && bytes[at - 1] === CR) continue;
    out[length++] = byte === LF ? CR : byte;
  }
  return out.subarray(0, length);
}

function withoutEscapes(bytes: Uint8Array): Uint8Array[] {
  const parts: Uint8Array[] = [];
  let from = 0;
  for (let at = bytes.indexOf(ESC); at !== -1; at = bytes.indexOf(ESC, from)) {
    parts.push(bytes.subarray(from, at), ESC_PICTURE);
    from = at + 1;
  }
  parts.push(bytes.subarray(from));
  return parts;
}
