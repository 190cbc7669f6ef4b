/**
 * End of the CSI sequence at `start` (`ESC [`), when it has at most `longest` bytes before its
 * final byte and no control or non-ASCII byte inside; otherwise -1.
 */
export function endOfPlainCsi(chunk: Uint8Array, start: number, longest: number): number {
  const last = Math.min(chunk.length, start + 3 + longest);
  for (let at = start + 2; at < last; at++) {
    const byte = chunk[at] ?? 0;
    if (byte < 0x20 || byte >= 0x7f) return -1;
    if (byte >= 0x40) return at + 1;
  }
  return -1;
}
