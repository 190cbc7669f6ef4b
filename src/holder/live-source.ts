/** A session's output by cursor, in its holder: from the files, and past what could be captured from memory. */
import { MAX_DATA_BYTES } from "../protocol/frames.ts";
import type { Channel, SessionState } from "../protocol/session.ts";
import type { Chunk, TranscriptReader } from "../transcript/reader.ts";
import type { TranscriptWriter } from "../transcript/writer.ts";
import type { FreshOutput } from "./fresh-output.ts";

export interface Piece {
  offset: number;
  channel: Channel;
  timestamp: number;
  bytes: Uint8Array;
}

export class LiveSource {
  /** Set once the session is final: what is produced by then is all of it. */
  final: SessionState | null = null;
  readonly #writer: TranscriptWriter;
  readonly #reader: TranscriptReader;
  readonly #fresh: FreshOutput | null;

  constructor(writer: TranscriptWriter, reader: TranscriptReader, fresh: FreshOutput | null = null) {
    this.#writer = writer;
    this.#reader = reader;
    this.#fresh = fresh;
    reader.chunks({ cursor: writer.produced, maxBytes: 1 }); // opens the files: later there may be no descriptor left
  }

  get produced(): number {
    return this.#writer.produced;
  }

  /** The first there are at or after the cursor, lent for this turn; none where nothing is left that could be read. */
  pieces(cursor: number, maxBytes = MAX_DATA_BYTES): Piece[] {
    const fresh = this.#fresh?.from(cursor) ?? null;
    if (fresh !== null) return [fresh];
    const chunks = this.#reader.chunks({ cursor, maxBytes });
    if (chunks.length > 0) return chunks.map(pieceOf);
    const recent = this.#writer.recent(cursor, maxBytes);
    if (recent !== null) return [{ ...recent, offset: recent.cursor }];
    // Once the session is over, everything in the file counts.
    return this.#reader.read({ cursor, maxBytes }).chunks.map(pieceOf);
  }
}

function pieceOf({ offset, channel, timestamp, bytes }: Chunk): Piece {
  return { offset, channel, timestamp: Date.parse(timestamp), bytes };
}
