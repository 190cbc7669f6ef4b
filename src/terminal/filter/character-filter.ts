/**
 * Filters characters for a viewer's terminal: drops bidi controls, and replaces stray bytes 0x80 to
 * 0x9F with U+FFFD, because they are controls to a terminal in 8-bit mode (one in UTF-8 mode shows
 * U+FFFD anyway). Other invalid bytes pass.
 *
 * Chunking does not change the result: an unfinished character is held back.
 */
import { isUtf8 } from "node:buffer";
import { joined } from "../../protocol/types/bytes.ts";
import { isBidiControl } from "../parser/bidi-controls.ts";

const NOTHING = new Uint8Array(0);
const REPLACEMENT = [0xef, 0xbf, 0xbd] as const;
/** First byte of the bidi controls, which are E2 80 AA to E2 80 AE and E2 81 A6 to E2 81 A9. */
const BIDI_LEAD = 0xe2;

export class CharacterFilter {
  #held: Uint8Array = NOTHING;

  get heldBytes(): number {
    return this.#held.length;
  }

  push(bytes: Uint8Array): Uint8Array {
    const all = this.#held.length === 0 ? bytes : joined([this.#held, bytes]);
    const end = endOfCharacters(all);
    this.#held = end === all.length ? NOTHING : all.slice(end);
    return filtered(end === all.length ? all : all.subarray(0, end));
  }

  /** Something else follows, so an unfinished character is invalid. */
  end(): Uint8Array {
    const rest = filtered(this.#held);
    this.#held = NOTHING;
    return rest;
  }
}

/** Start of the unfinished last character, or the length. */
function endOfCharacters(bytes: Uint8Array): number {
  for (let count = 1; count <= Math.min(3, bytes.length); count++) {
    const byte = bytes[bytes.length - count] ?? 0;
    if ((byte & 0xc0) !== 0x80) return lengthFrom(byte) > count ? bytes.length - count : bytes.length;
  }
  return bytes.length;
}

function filtered(bytes: Uint8Array): Uint8Array {
  if (isUtf8(bytes) && !hasBidi(bytes)) return bytes;
  const out: number[] = [];
  for (let at = 0; at < bytes.length; ) {
    const byte = bytes[at] ?? 0;
    const length = lengthFrom(byte);
    const character = bytes.subarray(at, at + length);
    if (byte >= 0x80 && character.length === length && isUtf8(character)) {
      if (!hasBidi(character)) out.push(...character);
      at += length;
      continue;
    }
    out.push(...(byte >= 0x80 && byte < 0xa0 ? REPLACEMENT : [byte]));
    at++;
  }
  return Uint8Array.from(out);
}

function hasBidi(bytes: Uint8Array): boolean {
  for (let at = bytes.indexOf(BIDI_LEAD); at >= 0; at = bytes.indexOf(BIDI_LEAD, at + 1)) {
    const codePoint = 0x2000 | (((bytes[at + 1] ?? 0) & 0x3f) << 6) | ((bytes[at + 2] ?? 0) & 0x3f);
    if (isBidiControl(codePoint)) return true;
  }
  return false;
}

/** Length of the character that this byte begins; 1 for none. */
function lengthFrom(lead: number): number {
  if (lead < 0xc2 || lead > 0xf4) return 1;
  return lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
}
