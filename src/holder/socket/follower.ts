/** A reader that follows a session on its socket from a cursor. */
import { encodeData, encodeJsonFrame, FRAME } from "../../protocol/wire/frames.ts";
import type { LivePiece, LiveSource } from "./live-source.ts";
import type { SendBuffer } from "./send-buffer.ts";

/** Encoded once for all followers of a piece; freed with the piece. */
const frames = new WeakMap<LivePiece, Uint8Array>();

export class Follower {
  readonly #sendBuffer: SendBuffer;
  readonly #source: LiveSource;
  #cursor: number;
  #isOver = false;
  #isCut = false;

  constructor(sendBuffer: SendBuffer, source: LiveSource, cursor: number) {
    this.#sendBuffer = sendBuffer;
    this.#source = source;
    this.#cursor = cursor;
  }

  get done(): boolean {
    return this.#isOver && this.#sendBuffer.isEmpty;
  }

  /**
   * Sends the output past the cursor, and END once the session is final and everything was sent.
   */
  advance(): void {
    try {
      this.#advance();
    } catch {
      this.#isCut = true;
      // The transcript cannot be read here: the follower may be able to read it.
      this.#sendBuffer.end();
    }
  }

  #advance(): void {
    const { final } = this.#source;
    if (this.#isOver || this.#isCut) return;
    while (!this.#sendBuffer.isFull && this.#cursor < this.#source.produced) this.#sendNext();
    if (final === null || this.#cursor < this.#source.produced) return;
    this.#isOver = true;
    this.#sendBuffer.send(encodeJsonFrame(FRAME.end, { cursor: String(this.#source.produced), state: final }));
  }

  #sendNext(): void {
    const pieces = this.#source.pieces(this.#cursor);
    for (const piece of pieces) this.#data(piece);
    if (pieces.length === 0) this.#gap(this.#source.produced);
  }

  #data(piece: LivePiece): void {
    const { offset, bytes } = piece;
    if (offset > this.#cursor) this.#gap(offset);
    this.#sendBuffer.send(frameOf(piece));
    this.#cursor = offset + bytes.length;
  }

  #gap(to: number): void {
    this.#sendBuffer.send(encodeJsonFrame(FRAME.gap, { from: String(this.#cursor), to: String(to) }));
    this.#cursor = to;
  }
}

function frameOf(piece: LivePiece): Uint8Array {
  const made = frames.get(piece);
  if (made !== undefined) return made;
  const { offset, channel, timestamp, bytes } = piece;
  const frame = encodeData({ cursor: offset, timestamp, channel, bytes });
  frames.set(piece, frame);
  return frame;
}
