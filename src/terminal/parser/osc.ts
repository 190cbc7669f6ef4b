/** Parses the head of an operating system command (OSC). */
import type { Sequence } from "./sequence.ts";

/** `number` is null when there is none; `text` is the index where the text begins. */
export interface OscHead {
  number: number | null;
  text: number;
}

const MAX_NUMBER = 99_999;
const SEMICOLON = 0x3b;

/**
 * Null while more digits may follow. Leading zeros are ignored; controls and non-ASCII bytes are
 * skipped, as some terminals do.
 */
export function oscHead({ bytes, from, to, ended }: Sequence): OscHead | null {
  let digits = 0;
  let number = 0;
  for (let at = from; at < to; at++) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x20 || byte >= 0x7f) continue;
    if (byte < 0x30 || byte > 0x39) {
      const isNumbered = digits > 0 && byte === SEMICOLON;
      return { number: isNumbered ? number : null, text: isNumbered ? at + 1 : from };
    }
    number = Math.min(MAX_NUMBER, number * 10 + byte - 0x30);
    digits++;
  }
  if (ended === "open") return null;
  return { number: digits > 0 ? number : null, text: to };
}
