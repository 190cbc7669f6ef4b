/** A session's output by cursor, in its holder: from the files, and past what could be captured from memory. */
import { MAX_DATA_BYTES } from "../protocol/frames.ts";
import type { Channel } from "../protocol/session.ts";
import type { TranscriptReader } from "../transcript/reader.ts";
import type { TranscriptWriter } from "../transcript/writer.ts";

export interface Piece {
  offset: number;
  channel: Channel;
  timestamp: number;
  bytes: Uint8Array;
}

export class LiveSource {
  readonly #writer: TranscriptWriter;
  readonly #reader: TranscriptReader;

  constructor(writer: TranscriptWriter, reader: TranscriptReader) {
    this.#writer = writer;
    this.#reader = reader;
    reader.chunks({ cursor: writer.produced, maxBytes: 1 }); // opens the files: later there may be no descriptor left
  }

  get produced(): number {
    return this.#writer.produced;
  }

  /** The first there are at or after the cursor; none where nothing is left that could be read. */
  pieces(cursor: number, maxBytes = MAX_DATA_BYTES): Piece[] {
    const chunks = this.#reader.chunks({ cursor, maxBytes });
    if (chunks.length > 0) {
      return chunks.map(({ offset, channel, timestamp, bytes }) => ({
        offset,
        channel,
        timestamp: Date.parse(timestamp),
        bytes,
      }));
    }
    const recent = this.#writer.recent(cursor, maxBytes);
    return recent === null ? [] : [{ ...recent, offset: recent.cursor }];
  }
}
