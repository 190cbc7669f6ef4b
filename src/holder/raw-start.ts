import type { LiveSource } from "./live-source.ts";

const NEWLINE = 10;

/**
 * Where the last bytes of the transcript begin, for who wants to see those again: at the beginning of a line, since in the middle of a
 * sequence nobody could tell text from command.
 */
export function rawStart(source: LiveSource, maxBytes: number): number {
  const from = Math.max(0, source.produced - maxBytes);
  if (from === 0) return 0;
  for (const { offset, bytes } of source.pieces(from)) {
    const newline = bytes.indexOf(NEWLINE);
    if (newline >= 0) return offset + newline + 1;
  }
  return from;
}
