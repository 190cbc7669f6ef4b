/**
 * Finds a place to start in the middle of output: the start of a line, because inside a sequence
 * text looks like commands. For a program that prints no line feeds: its next sequence, or at least
 * the start of a character.
 */
const NEWLINE = 10;
const ESC = 0x1b;

interface Piece {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/**
 * The first safe place at or after `from`, which is where `pieces` begin; `from` when there is
 * none.
 */
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
