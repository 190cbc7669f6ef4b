/**
 * Reads a transcript by cursor, from any process, while it is written or long after. Nothing is locked and nothing is
 * kept in memory: each read looks at the index where the cursor points, and loads just the bytes it answers with.
 *
 * While its holder lives, a byte can be read once its index record is there. Afterwards everything in the file can.
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
  /** Null until the holder has made them. */
  #index: number | null = null;
  #output: number | null = null;
  #ending: TranscriptEnd | null = null;

  private constructor(dir: SessionDir) {
    this.#dir = dir;
  }

  static open(layout: Layout, id: string): TranscriptReader {
    return new TranscriptReader(SessionDir.open(layout, id));
  }

  get id(): string {
    return this.#dir.id;
  }

  /** Fresh from disk. */
  session(options: StateOptions = {}): Session {
    const session = sessionFrom(this.#dir, options);
    if (session === null) throw sessionNotFound(this.id);
    return session;
  }

  /** The cursor up to which bytes can be read now. */
  end(): number {
    const hasEnded = this.#hasEnded();
    const { index, indexSize, outputSize } = this.#measure();
    if (hasEnded) return outputSize;
    const last = index === null ? null : lastRecord(index, indexSize);
    return last === null ? 0 : Math.min(endOf(last), outputSize);
  }

  /** How many bytes there are; the last of them are in the index some milliseconds later, and can be read from then on. */
  written(): number {
    return this.#measure().outputSize;
  }

  read(request: ReadRequest): ReadResult {
    const hadEnded = this.#ending !== null;
    let plan = planRead(request, this.#measure(), this.#ending);
    // What was written after that look and before the end would be missed: look again.
    if (plan.isAtEnd && !hadEnded && this.#hasEnded()) plan = planRead(request, this.#measure(), this.#ending);
    return {
      chunks: this.#load(plan.pieces),
      next_cursor: plan.next,
      eof: plan.isAtEnd && this.#ending !== null,
      truncated: plan.truncated || (plan.isAtEnd && this.#ending === null && this.#isInGap(plan.next)),
    };
  }

  /** For its own holder, which knows that it lives and where its gaps are: no other file is looked at. */
  chunks(request: ReadRequest): Chunk[] {
    return this.#load(planRead(request, this.#measure(), null).pieces);
  }

  /** Which bytes a read would answer with, without them. Where one does not begin at the end of the one before, some were not kept. */
  runs(request: ReadRequest): readonly IndexRecord[] {
    return planRead(request, this.#measure(), this.#hasEnded() ? this.#ending : null).pieces;
  }

  /** Of output.bin as it is, gaps as zeros and whatever the channel; how many there were. */
  rawBytes(into: Uint8Array, position: number): number {
    this.#measure();
    return this.#output === null ? 0 : readAt(this.#output, into, position);
  }

  /** Whether all of it is of one channel. The index is searched, not parsed. */
  hasOneChannel(): boolean {
    const { index, indexSize } = this.#measure();
    return index === null || channelsIn(index, indexSize) <= 1;
  }

  /** When what was printed, roughly where there is much of it. */
  overview(): Iterable<IndexRecord> {
    const { index, indexSize } = this.#measure();
    return index === null ? [] : overview(index, indexSize);
  }

  /** Where the last lines start, found by reading backwards. */
  tailCursor(lines: number): number {
    const end = this.end();
    if (lines <= 0) return end;
    let missing = lines;
    const block = Buffer.allocUnsafe(Math.min(LINE_BLOCK, end));
    for (let until = end; until > 0 && this.#output !== null; ) {
      const from = Math.max(0, until - LINE_BLOCK);
      const bytes = block.subarray(0, until - from);
      readAt(this.#output, bytes, from);
      // A newline at the very end closes the last line and starts none.
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
    if (this.#index !== null) closeSync(this.#index);
    if (this.#output !== null) closeSync(this.#output);
    this.#index = null;
    this.#output = null;
    this.#dir[Symbol.dispose]();
  }

  #measure(): Extent {
    this.#index ??= this.#dir.openIfThere("index.jsonl", "read");
    const indexSize = this.#index === null ? 0 : fstatSync(this.#index).size;
    this.#output ??= this.#dir.openIfThere("output.bin", "read");
    const output = this.#output === null ? null : fstatSync(this.#output);
    return { index: this.#index, indexSize, outputSize: output?.size ?? 0, writtenAt: output?.mtimeMs ?? 0 };
  }

  /** Of a living session the index shows a gap only once it is over; that it began is an event. */
  #isInGap(cursor: number): boolean {
    const gap = new NewestEvents(this.#dir).gap();
    return gap !== null && gap.to === null && gap.from <= cursor;
  }

  /** An end is for ever, so it is looked for only until it came. */
  #hasEnded(): boolean {
    if (this.#ending !== null) return true;
    const life = lifeOf(this.#dir);
    if (life.kind === "unclaimed" || life.kind === "held") return false;
    const channel = readMeta(this.#dir)?.transport_mode === "pipe" ? "stdout" : "pty";
    this.#ending = { produced: life.kind === "final" ? life.final.output_bytes : producedIn(this.#dir), channel };
    return true;
  }

  /** Neighbouring pieces are read in one go. */
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
    if (this.#output !== null && readAt(this.#output, bytes, offset) === bytes.length) return;
    throw new HoltError("EIO", `output.bin of session "${this.id}" was cut short while it was read`);
  }
}
