/** Finds the end of a run of printable ASCII that begins at `from`. Most output is such runs. */
export function endOfAscii(bytes: Uint8Array, from: number): number {
  let at = from;
  for (; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x20 || byte > 0x7e) break;
  }
  return at;
}
