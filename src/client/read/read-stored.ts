import type { TranscriptReader } from "../../transcript/read/reader.ts";
import type { FollowItem } from "./follow.ts";

export { upTo } from "../../rendering/export-pieces.ts";

/** No end: what is on disk does not tell. */
export type StoredItem = Exclude<FollowItem, { type: "end" }>;

const BLOCK_BYTES = 256 * 1024;

/** What is on disk from the cursor on, up to `end`: data, and where there is none, gaps. Ends where the reader has no more. */
export function* readStored(
  reader: TranscriptReader,
  from: number,
  end = Number.POSITIVE_INFINITY,
): Generator<StoredItem, void> {
  let cursor = from;
  for (;;) {
    // No bytes are asked for at the end, but what lies behind it may be a gap.
    const maxBytes = Math.max(0, Math.min(BLOCK_BYTES, end - cursor));
    const { chunks, next_cursor } = reader.read({ cursor, maxBytes });
    for (const { channel, offset, timestamp, bytes } of chunks) {
      if (offset > cursor) yield { type: "gap", from: cursor, to: offset };
      yield { type: "data", cursor: offset, timestamp: Date.parse(timestamp), channel, bytes };
      cursor = offset + bytes.length;
    }
    if (next_cursor > cursor) yield { type: "gap", from: cursor, to: next_cursor };
    else if (chunks.length === 0) return;
    cursor = Math.max(cursor, next_cursor);
  }
}
