/** One reader on the holder's socket: a cursor into the transcript, and what the socket has not taken yet. */
import type { Socket } from "bun";
import { encodeData, encodeJsonFrame, FRAME, MAX_DATA_BYTES } from "../protocol/frames.ts";
import type { SessionState } from "../protocol/session.ts";
import type { TranscriptReader } from "../transcript/reader.ts";
import type { TranscriptWriter } from "../transcript/writer.ts";

/** Unsent bytes per follower: past this it lags on disk, not in our memory. */
const MAX_UNSENT = 1024 * 1024;

export interface Source {
  writer: TranscriptWriter;
  reader: TranscriptReader;
}

export class Follower {
  readonly #socket: Socket<unknown>;
  readonly #source: Source;
  readonly #unsent: Uint8Array[] = [];
  #unsentBytes = 0;
  #cursor: number | null = null;
  #over = false;
  #isCut = false;

  constructor(socket: Socket<unknown>, source: Source) {
    this.#socket = socket;
    this.#source = source;
  }

  get following(): boolean {
    return this.#cursor !== null;
  }

  /** Everything was sent, END included. */
  get done(): boolean {
    return this.#over && this.#unsentBytes === 0;
  }

  /** It does not take what it is sent. */
  get lags(): boolean {
    return this.#unsentBytes >= MAX_UNSENT;
  }

  follow(cursor: number): void {
    this.#cursor = cursor;
  }

  send(frame: Uint8Array): void {
    this.#unsent.push(frame);
    this.#unsentBytes += frame.length;
    this.drain();
  }

  /** As much as the socket takes. */
  drain(): void {
    for (let head = this.#unsent[0]; head !== undefined; head = this.#unsent[0]) {
      const written = this.#socket.write(head);
      if (written < 0) return; // closing: the close event cleans up
      this.#unsentBytes -= written;
      if (written < head.length) {
        this.#unsent[0] = head.subarray(written);
        return;
      }
      this.#unsent.shift();
    }
  }

  /** Sends what lies past the cursor, and END once the session is final and all was sent. */
  advance(final: SessionState | null): void {
    try {
      this.#advance(final);
    } catch {
      this.#isCut = true;
      this.#socket.end(); // the disk does not let us read: the follower may have more luck with it
    }
  }

  #advance(final: SessionState | null): void {
    if (this.#cursor === null || this.#over || this.#isCut) return;
    while (this.#unsentBytes < MAX_UNSENT && this.#cursor < this.#source.writer.produced) {
      if (!this.#sendNext(this.#cursor)) break;
    }
    if (final === null || this.#cursor < this.#source.writer.produced) return;
    this.#over = true;
    this.send(encodeJsonFrame(FRAME.end, { cursor: String(this.#source.writer.produced), state: final }));
  }

  #sendNext(cursor: number): boolean {
    const { writer, reader } = this.#source;
    const { chunks } = reader.read({ cursor, maxBytes: MAX_DATA_BYTES });
    for (const { offset, channel, timestamp, bytes } of chunks) {
      this.#data({ cursor: offset, channel, timestamp: Date.parse(timestamp), bytes });
    }
    if (chunks.length > 0) return true;
    // Past what could be captured: the last bytes are in memory.
    const recent = writer.recent(cursor, MAX_DATA_BYTES);
    if (recent !== null) this.#data(recent);
    else this.#gap(writer.produced);
    return true;
  }

  #data(data: Parameters<typeof encodeData>[0]): void {
    if (data.cursor > (this.#cursor ?? 0)) this.#gap(data.cursor);
    this.send(encodeData(data));
    this.#cursor = data.cursor + data.bytes.length;
  }

  #gap(to: number): void {
    this.send(encodeJsonFrame(FRAME.gap, { from: String(this.#cursor), to: String(to) }));
    this.#cursor = to;
  }
}
