import { expect } from "bun:test";
import { layoutAt } from "../../src/transcript/layout.ts";
import { TranscriptReader } from "../../src/transcript/read/reader.ts";
import type { Bench } from "../support/holt.ts";

export interface Stored {
  pieces: { offset: number; bytes: Uint8Array }[];
  gaps: { from: number; to: number }[];
  end: number;
}

/** The transcript as any reader gets it, from 0 to eof. */
export function readStored(bench: Bench, id: string, maxBytes = 64 * 1024): Stored {
  using reader = TranscriptReader.open(layoutAt(bench.state), id);
  const stored: Stored = { pieces: [], gaps: [], end: 0 };
  for (;;) {
    const { chunks, next_cursor, eof, truncated } = reader.read({ cursor: stored.end, maxBytes });
    const gapsBefore = stored.gaps.length;
    for (const { offset, bytes } of chunks) {
      if (offset !== stored.end) stored.gaps.push({ from: stored.end, to: offset });
      stored.pieces.push({ offset, bytes });
      stored.end = offset + bytes.length;
    }
    if (next_cursor !== stored.end) stored.gaps.push({ from: stored.end, to: next_cursor });
    stored.end = next_cursor;
    expect(truncated).toBe(stored.gaps.length > gapsBefore);
    if (eof) return stored;
    if (chunks.length === 0) throw new Error(`no end at ${next_cursor}`);
  }
}

/** Captured bytes are the right ones, and together with the gaps they are everything that was produced. */
export function expectCovers(bench: Bench, id: string, produced: Uint8Array): Stored {
  const stored = readStored(bench, id);
  expect(stored.end).toBe(produced.length);
  for (const { offset, bytes } of stored.pieces) {
    expect(Buffer.compare(bytes, produced.subarray(offset, offset + bytes.length))).toBe(0);
  }
  expect(bench.final(id)).toMatchObject({ output_bytes: produced.length, truncated: stored.gaps.length > 0 });
  return stored;
}
