/**
 * What was appended to the transcript this moment, for the readers who have everything before it: they need not read it back from disk.
 * Kept until all of them were served, and no longer.
 */
import { MAX_DATA_BYTES } from "../protocol/frames.ts";
import type { Channel } from "../protocol/session.ts";
import type { Piece } from "./live-source.ts";

/** More than this is not gathered: readers are served first. */
const MAX_BYTES = 256 * 1024;
const FIRST_BYTES = 4096;

export class FreshOutput {
  #buffer = new Uint8Array(FIRST_BYTES);
  #length = 0;
  /** Without a gap between them. */
  #pieces: Piece[] = [];

  /** Whether so much more must wait until readers were served. */
  isFull(more: number): boolean {
    return this.#length > 0 && this.#length + more > MAX_BYTES;
  }

  /** `bytes` are lent, and go on from what was added before. */
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

  /** Lent until clear(); null where the cursor is not in it. */
  from(cursor: number): Piece | null {
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

  /** Nobody reads for now. */
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
