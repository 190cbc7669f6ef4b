/**
 * Reads a session's output by cursor in its holder: from the files, or from memory if capturing
 * failed.
 */
import { MAX_DATA_BYTES } from "../../protocol/wire/frames.ts";
import type { Channel, SessionState } from "../../protocol/types/session.ts";
import type { Chunk, TranscriptReader } from "../../transcript/read/reader.ts";
import type { TranscriptWriter } from "../../transcript/write/writer.ts";

/** Readers are served before more than this is buffered. */
const MAX_BYTES = 256 * 1024;
const FIRST_BYTES = 4096;

export interface LivePiece {
  offset: number;
  channel: Channel;
  timestamp: number;
  bytes: Uint8Array;
}

export class LiveSource {
  /** Set once the session is final: `produced` then stays. */
  final: SessionState | null = null;
  readonly #writer: TranscriptWriter;
  readonly #reader: TranscriptReader;
  readonly #fresh: FreshOutput | null;

  constructor(writer: TranscriptWriter, reader: TranscriptReader, fresh: FreshOutput | null = null) {
    this.#writer = writer;
    this.#reader = reader;
    this.#fresh = fresh;
    // Opens the files now: later there may be no free descriptor.
    reader.chunks({ cursor: writer.produced, maxBytes: 1 });
  }

  get produced(): number {
    return this.#writer.produced;
  }

  /**
   * The first pieces at or after the cursor, valid for this turn of the loop; empty if nothing can
   * be read.
   */
  pieces(cursor: number, maxBytes = MAX_DATA_BYTES): LivePiece[] {
    const fresh = this.#fresh?.from(cursor) ?? null;
    if (fresh !== null) return [fresh];
    const chunks = this.#reader.chunks({ cursor, maxBytes });
    if (chunks.length > 0) return chunks.map(pieceOf);
    const recent = this.#writer.recent(cursor, maxBytes);
    if (recent !== null) return [{ ...recent, offset: recent.cursor }];
    // After the end of the session, every byte in the file counts.
    return this.#reader.read({ cursor, maxBytes }).chunks.map(pieceOf);
  }
}

function pieceOf({ offset, channel, timestamp, bytes }: Chunk): LivePiece {
  return { offset, channel, timestamp: Date.parse(timestamp), bytes };
}

/**
 * Output that was just appended to the transcript, for readers that are up to date: they need not
 * read it from disk. Kept until all readers were served.
 */
export class FreshOutput {
  #buffer = new Uint8Array(FIRST_BYTES);
  #length = 0;
  /** Contiguous. */
  #pieces: LivePiece[] = [];

  /** True if readers must be served before `more` bytes are added. */
  isFull(more: number): boolean {
    return this.#length > 0 && this.#length + more > MAX_BYTES;
  }

  /** `bytes` are valid only during the call, and continue what was added before. */
  add(offset: number, channel: Channel, timestamp: number, bytes: Uint8Array): void {
    const at = this.#length;
    this.#length = at + bytes.length;
    if (this.#length > this.#buffer.length) this.#grow();
    this.#buffer.set(bytes, at);
    const last = this.#pieces.at(-1);
    if (last?.channel === channel && last.bytes.length + bytes.length <= MAX_DATA_BYTES) {
      last.bytes = this.#buffer.subarray(at - last.bytes.length, this.#length);
      return;
    }
    for (let from = 0; from < bytes.length; from += MAX_DATA_BYTES) {
      const piece = this.#buffer.subarray(at + from, Math.min(at + from + MAX_DATA_BYTES, this.#length));
      this.#pieces.push({ offset: offset + from, channel, timestamp, bytes: piece });
    }
  }

  /** Valid until clear(); null if the cursor is not in it. */
  from(cursor: number): LivePiece | null {
    for (const piece of this.#pieces) {
      const skipped = cursor - piece.offset;
      if (skipped < 0) return null;
      if (skipped === 0) return piece;
      if (skipped < piece.bytes.length) return { ...piece, offset: cursor, bytes: piece.bytes.subarray(skipped) };
    }
    return null;
  }

  clear(): void {
    this.#pieces = [];
    this.#length = 0;
  }

  /** Frees the memory while there is no reader. */
  release(): void {
    this.clear();
    this.#buffer = new Uint8Array(FIRST_BYTES);
  }

  #grow(): void {
    const larger = new Uint8Array(Math.max(MAX_BYTES, this.#length));
    larger.set(this.#buffer);
    this.#pieces = this.#pieces.map((piece) => ({
      ...piece,
      bytes: larger.subarray(piece.bytes.byteOffset, piece.bytes.byteOffset + piece.bytes.length),
    }));
    this.#buffer = larger;
  }
}
