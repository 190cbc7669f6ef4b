/** Removes escape sequences from chunks of terminal output, which keep their cursors. */
import { joined } from "../../protocol/types/bytes.ts";
import { SequenceScanner } from "../../terminal/parser/sequence-scanner.ts";
import type { Chunk } from "../sessions/local-sessions.ts";

export interface StrippedChunk extends Chunk {
  /** The cursor just past the chunk as it was printed. */
  end: number;
}

interface Range {
  start: number;
  end: number;
}

/**
 * An incomplete sequence or character, and all after it, is left out unless `isAll`. Empty chunks
 * are left out, except the last, whose `end` tells how far the text reaches.
 */
export function stripSequences(chunks: readonly Chunk[], { isAll }: { isAll: boolean }): StrippedChunk[] {
  const sequences: Range[] = [];
  const scanner = new SequenceScanner({ sequence: ({ start, end }) => void sequences.push({ start, end }) });
  for (const { offset, bytes } of chunks) scanner.push(offset, bytes);
  const end = isAll ? Number.POSITIVE_INFINITY : scanner.boundary;
  const open = scanner.open;
  if (open !== null) sequences.push({ start: open.start, end: Number.POSITIVE_INFINITY });
  const certain = chunks.flatMap((chunk) => {
    const bytes = chunk.bytes.subarray(0, Math.max(0, end - chunk.offset));
    return bytes.length === 0 ? [] : [{ ...chunk, bytes }];
  });
  return certain.flatMap((chunk, i) => {
    const bytes = without(chunk, sequences);
    return bytes.length === 0 && i < certain.length - 1
      ? []
      : [{ ...chunk, bytes, end: chunk.offset + chunk.bytes.length }];
  });
}

function without({ offset, bytes }: Chunk, sequences: readonly Range[]): Uint8Array {
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const { start, end } of sequences) {
    if (end - offset <= at) continue;
    if (start - offset >= bytes.length) break;
    parts.push(bytes.subarray(at, Math.max(at, start - offset)));
    at = end - offset;
  }
  return joined([...parts, bytes.subarray(at)]);
}
