/** Parses the head of a device control string (DCS). */
import type { Sequence } from "./sequence.ts";

/** `kind` is marker, intermediates and final byte; `data` is the index where the data begins. */
export interface DcsHead {
  kind: string;
  data: number;
}

/** Null while the head is incomplete. */
export function dcsHead({ bytes, from, to }: Sequence): DcsHead | null {
  let kind = "";
  for (let at = from; at < to; at++) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x20 || byte >= 0x7f) continue;
    const isParameter = byte >= 0x30 && byte <= 0x3b;
    if (!isParameter) kind += String.fromCharCode(byte);
    if (byte >= 0x40) return { kind, data: at + 1 };
    if (kind.length > MAX_KIND) return { kind, data: at + 1 };
  }
  return null;
}

const MAX_KIND = 8;
