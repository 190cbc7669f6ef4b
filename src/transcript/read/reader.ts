/**
 * Reads a transcript by cursor, from any process, during or after the session. It takes no lock and
 * keeps nothing in memory: each read searches the index for the cursor and loads only the bytes it
 * returns.
 *
 * While the holder lives, a byte is readable once its index record exists. Afterwards the whole
 * file is.
 */
import { closeSync, fstatSync } from "node:fs";
import { HoltError, sessionNotFound } from "../../protocol/types/errors.ts";
import type { Channel, Session } from "../../protocol/types/session.ts";
import { NewestEvents } from "./read-events.ts";
import { channelsIn, lastRecord, overview } from "./index-file.ts";
import { endOf, type IndexRecord } from "../index-record.ts";
import type { Layout } from "../layout.ts";
import { readAt } from "./read-at.ts";
import { type TranscriptEnd, type Extent, planRead, type ReadRequest } from "./read-plan.ts";
import { readMeta } from "./read-records.ts";
import { SessionDir } from "../session-dir.ts";
import { lifeOf, producedIn, type StateOptions, sessionFrom } from "./state.ts";

export type { ReadRequest };

export interface Chunk {
  channel: Channel;
  offset: number;
  timestamp: string;
  bytes: Uint8Array;
}

export interface ReadResult {
  chunks: Chunk[];
  next_cursor: number;
  eof: boolean;
  /** Bytes between the cursor and next_cursor were not captured. */
  truncated: boolean;
}

const LINE_BLOCK = 64 * 1024;
const NEWLINE = 10;

export class TranscriptReader implements Disposable {
  readonly #dir: SessionDir;
  /** Null until the holder has created them. */
  #indexFd: number | null = null;
  #outputFd: number | null = null;
  #transcriptEnd: TranscriptEnd | null = null;

  private constructor(dir: SessionDir) {
    this.#dir = dir;
  }

  static open(layout: Layout, id: string): TranscriptReader {
    return new TranscriptReader(SessionDir.open(layout, id));
  }

  get id(): string {
    return this.#dir.id;
  }

  /** Reads the session's state from disk. */
  session(options: StateOptions = {}): Session {
    const session = sessionFrom(this.#dir, options);
    if (session === null) throw sessionNotFound(this.id);
    return session;
  }

  /** The cursor up to which bytes are readable now. */
  end(): number {
    const hasEnded = this.#hasEnded();
    const { indexFd, indexSize, outputSize } = this.#measure();
    if (hasEnded) return outputSize;
    const last = indexFd === null ? null : lastRecord(indexFd, indexSize);
    return last === null ? 0 : Math.min(endOf(last), outputSize);
  }

  /**
   * Bytes in output.bin; the last ones become readable some milliseconds later, with their index
   * record.
   */
  written(): number {
    return this.#measure().outputSize;
  }

  read(request: ReadRequest): ReadResult {
    const hadEnded = this.#transcriptEnd !== null;
    let plan = planRead(request, this.#measure(), this.#transcriptEnd);
    // Bytes written between the first measurement and the end would be missed: plan again.
    if (plan.isAtEnd && !hadEnded && this.#hasEnded()) plan = planRead(request, this.#measure(), this.#transcriptEnd);
    return {
      chunks: this.#load(plan.runs),
      next_cursor: plan.next,
      eof: plan.isAtEnd && this.#transcriptEnd !== null,
      truncated: plan.truncated || (plan.isAtEnd && this.#transcriptEnd === null && this.#isInGap(plan.next)),
    };
  }

  /** For the session's own holder, which knows its state and gaps: no other file is read. */
  chunks(request: ReadRequest): Chunk[] {
    return this.#load(planRead(request, this.#measure(), null).runs);
  }

  /**
   * The runs that a read would return, without their bytes. A run that does not begin at the end of
   * the previous one follows a gap.
   */
  runs(request: ReadRequest): readonly IndexRecord[] {
    return planRead(request, this.#measure(), this.#hasEnded() ? this.#transcriptEnd : null).runs;
  }

  /**
   * Bytes of output.bin as stored: gaps are zeros, and channels are mixed. Returns the number of
   * bytes read.
   */
  rawBytes(into: Uint8Array, position: number): number {
    this.#measure();
    return this.#outputFd === null ? 0 : readAt(this.#outputFd, into, position);
  }

  /** Whether the output has at most one channel. The index is searched, not parsed. */
  hasOneChannel(): boolean {
    const { indexFd, indexSize } = this.#measure();
    return indexFd === null || channelsIn(indexFd, indexSize) <= 1;
  }

  /** Output over time, sampled for a large index. */
  overview(): Iterable<IndexRecord> {
    const { indexFd, indexSize } = this.#measure();
    return indexFd === null ? [] : overview(indexFd, indexSize);
  }

  /** Cursor of the last `lines` lines, found by reading backwards. */
  tailCursor(lines: number): number {
    const end = this.end();
    if (lines <= 0) return end;
    let missing = lines;
    const block = Buffer.allocUnsafe(Math.min(LINE_BLOCK, end));
    for (let until = end; until > 0 && this.#outputFd !== null; ) {
      const from = Math.max(0, until - LINE_BLOCK);
      const bytes = block.subarray(0, until - from);
      readAt(this.#outputFd, bytes, from);
      // A final newline ends the last line and starts no other.
      let at = until === end ? bytes.length - 1 : bytes.length;
      while (at > 0) {
        at = bytes.lastIndexOf(NEWLINE, at - 1);
        if (at === -1) break;
        if (--missing === 0) return from + at + 1;
      }
      until = from;
    }
    return 0;
  }

  [Symbol.dispose](): void {
    if (this.#indexFd !== null) closeSync(this.#indexFd);
    if (this.#outputFd !== null) closeSync(this.#outputFd);
    this.#indexFd = null;
    this.#outputFd = null;
    this.#dir[Symbol.dispose]();
  }

  #measure(): Extent {
    this.#indexFd ??= this.#dir.openIfThere("index.jsonl", "read");
    const indexSize = this.#indexFd === null ? 0 : fstatSync(this.#indexFd).size;
    this.#outputFd ??= this.#dir.openIfThere("output.bin", "read");
    const output = this.#outputFd === null ? null : fstatSync(this.#outputFd);
    return { indexFd: this.#indexFd, indexSize, outputSize: output?.size ?? 0, writtenAt: output?.mtimeMs ?? 0 };
  }

  /** The index of a live session shows a gap only after it has ended; an event marks its start. */
  #isInGap(cursor: number): boolean {
    const gap = new NewestEvents(this.#dir).gap();
    return gap !== null && gap.to === null && gap.from <= cursor;
  }

  /** The result is cached once true: an end is final. */
  #hasEnded(): boolean {
    if (this.#transcriptEnd !== null) return true;
    const life = lifeOf(this.#dir);
    if (life.kind === "unclaimed" || life.kind === "held") return false;
    const channel = readMeta(this.#dir)?.transport_mode === "pipe" ? "stdout" : "pty";
    this.#transcriptEnd = {
      produced: life.kind === "final" ? life.final.output_bytes : producedIn(this.#dir),
      channel,
    };
    return true;
  }

  /** Adjacent pieces are read with one call. */
  #load(pieces: IndexRecord[]): Chunk[] {
    const buffer = Buffer.allocUnsafeSlow(pieces.reduce((sum, { length }) => sum + length, 0));
    const chunks: Chunk[] = [];
    let runStart = 0;
    let at = 0;
    for (const [number, piece] of pieces.entries()) {
      const { channel, offset, timestamp, length } = piece;
      chunks.push({ channel, offset, timestamp, bytes: buffer.subarray(at, at + length) });
      at += length;
      if (pieces[number + 1]?.offset === endOf(piece)) continue;
      this.#fill(buffer.subarray(runStart, at), endOf(piece) - (at - runStart));
      runStart = at;
    }
    return chunks;
  }

  #fill(bytes: Uint8Array, offset: number): void {
    if (this.#outputFd !== null && readAt(this.#outputFd, bytes, offset) === bytes.length) return;
    throw new HoltError("EIO", `output.bin of session "${this.id}" was cut short while it was read`);
  }
}
