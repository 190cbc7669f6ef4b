/** Where a stream may be cut, judged by the bytes before the cut alone. */
const ESC = 0x1b;
/** No character is longer, and hardly a sequence that is not a string. */
export const LOOK_BACK = 64;
/** From ESC on: a CSI that has its final byte, a string, or any other sequence that is complete. */
const COMPLETE = /^\x1b(?:\[[\x20-\x3f]*[^\x20-\x3f]|[\]PX^_k]|[\x20-\x2f]*[^\x20-\x2f[])/;

/** How many of the last bytes are the beginning of a sequence or a character that is not all there. Of strings nothing is known. */
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
