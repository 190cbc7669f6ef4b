/**
 * Filters the characters for an attached viewer's terminal: no bidi controls, and no byte 0x80 to 0x9F outside of a character, which is a control to a terminal in
 * 8-bit mode. To one in UTF-8 mode it is broken text: it goes out as U+FFFD, which is what such a terminal shows. Other broken bytes go out as they are.
 *
 * Whatever the chunking, the same bytes come out: a character that has only begun is held back.
 */
import { isUtf8 } from "node:buffer";
import { joined } from "../../protocol/types/bytes.ts";
import { isBidiControl } from "../parser/bidi-controls.ts";

const NOTHING = new Uint8Array(0);
const REPLACEMENT = [0xef, 0xbf, 0xbd] as const;
/** Bidi controls are E2 80 AA to E2 80 AE, and E2 81 A6 to E2 81 A9. */
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

  /** Something else follows: the character that has begun is broken. */
  end(): Uint8Array {
    const rest = filtered(this.#held);
    this.#held = NOTHING;
    return rest;
  }
}

/** Where the last character begins if it is not whole yet. */
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

/** The length of the character that this byte begins; 1 where it begins none. */
function lengthFrom(lead: number): number {
  if (lead < 0xc2 || lead > 0xf4) return 1;
  return lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
}
