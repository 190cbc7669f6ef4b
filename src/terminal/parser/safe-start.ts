/**
 * Where output may be entered in the middle: at the beginning of a line, since in the middle of a sequence text looks like commands. A program that
 * prints no line feeds is entered where its next sequence begins, or at least at the beginning of a character.
 */
const NEWLINE = 10;
const ESC = 0x1b;

interface Piece {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** The first safe place at or after `from`, where `pieces` begin; `from` itself where they have none. */
export function safeStart(pieces: readonly Piece[], from: number): number {
  if (from === 0) return 0;
  const newline = firstWhere(pieces, (bytes) => bytes.indexOf(NEWLINE));
  if (newline !== null) return newline + 1;
  const escape = firstWhere(pieces, (bytes) => bytes.indexOf(ESC));
  return escape ?? firstWhere(pieces, (bytes) => bytes.findIndex((byte) => byte < 0x80 || byte >= 0xc0)) ?? from;
}

function firstWhere(pieces: readonly Piece[], find: (bytes: Uint8Array) => number): number | null {
  for (const { offset, bytes } of pieces) {
    const at = find(bytes);
    if (at >= 0) return offset + at;
  }
  return null;
}
