/** Detects an unfinished sequence or character at the end of bytes, from these bytes alone. */
const ESC = 0x1b;
/** Bytes looked at. Characters and nearly all sequences other than strings are shorter. */
export const LOOK_BACK = 64;
/** Matches, from ESC on, a complete CSI, a string opener, or any other complete sequence. */
const COMPLETE = /^\x1b(?:\[[\x20-\x3f]*[^\x20-\x3f]|[\]PX^_k]|[\x20-\x2f]*[^\x20-\x2f[])/;

/** Length of the unfinished sequence or character at the end. Strings are not followed. */
export function unfinishedLength(bytes: Uint8Array): number {
  const from = Math.max(0, bytes.length - LOOK_BACK);
  const escape = bytes.lastIndexOf(ESC);
  if (escape >= from && !COMPLETE.test(String.fromCharCode(...bytes.subarray(escape)))) return bytes.length - escape;
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte >= 0xc0) return back < lengthOf(byte) ? back : 0;
    if (byte < 0x80) return 0;
  }
  return 0;
}

function lengthOf(lead: number): number {
  return lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
}
