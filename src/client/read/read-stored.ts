/** Reads recorded output as a sequence of items. */
import type { TranscriptReader } from "../../transcript/read/reader.ts";
import type { FollowItem } from "./follow.ts";

export { upTo } from "../../rendering/export-pieces.ts";

/** Without `end`, which the transcript does not contain. */
export type StoredItem = Exclude<FollowItem, { type: "end" }>;

const BLOCK_BYTES = 256 * 1024;

/** Data from the cursor on, up to `end`, with a gap item for each missing range. */
export function* readStored(
  reader: TranscriptReader,
  from: number,
  end = Number.POSITIVE_INFINITY,
): Generator<StoredItem, void> {
  let cursor = from;
  for (;;) {
    // Zero bytes at the end: a gap may follow there.
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
