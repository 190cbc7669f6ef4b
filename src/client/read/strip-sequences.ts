/** Terminal output without its escape sequences, in chunks that keep their place in the transcript. */
import { joined } from "../../protocol/types/bytes.ts";
import { SequenceScanner } from "../../terminal/parser/sequence-scanner.ts";
import type { Chunk } from "../sessions/local-sessions.ts";

export interface StrippedChunk extends Chunk {
  /** The cursor just past it, as it was printed. */
  end: number;
}

interface Range {
  start: number;
  end: number;
}

/**
 * What is certain: a sequence or a character that has only begun is left out, and with it everything after, unless `isAll`. A chunk of which nothing is
 * left is left out too, but for the last, which says how far that was.
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
