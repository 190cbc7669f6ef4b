/**
 * The one writer of a transcript.
 *
 * A byte's offset in output.bin is its cursor, always: bytes that could not be captured (the limit, a full disk) leave a
 * hole, and the index says where it is. append() never throws and never loses a byte that fits.
 *
 * After a gap the index is told where capture goes on before the bytes are written: a holder that dies between the two
 * leaves no hole that could be taken for output.
 */
import { closeSync, ftruncateSync, writeSync } from "../../platform/fs/libc-fs.ts";
import { libc } from "../../platform/native/libc.ts";
import { errnoOf } from "../../protocol/types/errors.ts";
import type { Channel } from "../../protocol/types/session.ts";
import { type Gap, type GapNotice, Gaps } from "./gaps.ts";
import { IndexWriter, isWithin, RETRY_MS, type ByteRun } from "./index-writer.ts";
import { readAt } from "../read/read-at.ts";
import { type RecentBytes, RecentRing } from "./recent-ring.ts";
import type { Artifact, SessionDir } from "../session-dir.ts";

export type { Gap, GapNotice, RecentBytes };

export interface WriterOptions {
  maxBytes: number;
  /** Called when a gap begins (`to` is null) and again when it ends. */
  onGap?: (gap: GapNotice) => void;
  /** Called for each record of the index that was written. */
  onChunk?: ((chunk: ByteRun) => void) | null;
}

/** Open and empty; closed with the writer. */
export interface TranscriptFiles {
  output: number;
  index: number;
}

export function createTranscript(dir: SessionDir): TranscriptFiles {
  const output = openEmpty(dir, "output.bin");
  try {
    return { output, index: openEmpty(dir, "index.jsonl") };
  } catch (error) {
    closeSync(output);
    throw error;
  }
}

export class TranscriptWriter implements Disposable {
  readonly #output: number;
  readonly #index: IndexWriter;
  readonly #gaps: Gaps;
  readonly #ring = new RecentRing();
  /** Called for each read of a flood: no closure, no loop around it. */
  readonly #pwrite = libc().pwrite;
  #isOpen = true;
  #produced = 0;
  /** What the limit leaves. */
  #room: number;
  #failure = "limit";
  #triedAt = 0;
  /** Set while the index is to get a record of how far a gap has come. */
  #telling: ReturnType<typeof setTimeout> | null = null;

  constructor({ output, index }: TranscriptFiles, { maxBytes, onGap = () => {}, onChunk = null }: WriterOptions) {
    this.#output = output;
    this.#index = new IndexWriter(index, onChunk);
    this.#gaps = new Gaps(onGap);
    this.#room = maxBytes;
  }

  static create(dir: SessionDir, options: WriterOptions): TranscriptWriter {
    return new TranscriptWriter(createTranscript(dir), options);
  }

  /** The next cursor. */
  get produced(): number {
    return this.#produced;
  }

  /** Whether bytes go to disk; false in a gap. */
  get captured(): boolean {
    return !this.#gaps.isIn;
  }

  get truncated(): boolean {
    return this.#gaps.all.length > 0;
  }

  get gaps(): readonly Gap[] {
    return this.#gaps.all;
  }

  append(channel: Channel, bytes: Uint8Array, now: number): void {
    this.capture(channel, bytes, now);
    this.announce(now);
  }

  /** The bytes alone. Who reads the files sees them once they are announced, which must follow in the same turn. */
  capture(channel: Channel, bytes: Uint8Array, now: number): void {
    if (bytes.length === 0 || !this.#isOpen) return;
    const start = this.#produced;
    const kept = !this.#gaps.isIn || this.#mayResume(channel, start, now) ? this.#capture(bytes, start) : 0;
    this.#count(channel, bytes, kept, now);
  }

  announce(now: number): void {
    if (this.#isOpen) this.#index.settle(now);
  }

  flushIndex(): void {
    this.#index.flush(Date.now());
  }

  /**
   * For live readers in this process: the first bytes at or after the cursor that a reader of the files cannot see, as
   * they have no index record yet, or fell into a gap and are among the last megabyte of it.
   */
  recent(cursor: number, maxBytes: number): RecentBytes | null {
    const inRing = this.#ring.read(cursor, maxBytes);
    const run = this.#index.unwritten(cursor);
    if (run === null) return inRing;
    const at = Math.max(cursor, run.offset);
    if (inRing !== null && inRing.cursor < at) return inRing;
    const bytes = new Uint8Array(Math.min(maxBytes, run.offset + run.length - at));
    const filled = readAt(this.#output, bytes, at);
    if (filled === 0) return null;
    return { cursor: at, channel: run.channel, timestamp: run.timestamp, bytes: bytes.subarray(0, filled) };
  }

  [Symbol.dispose](): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    if (this.#telling !== null) clearTimeout(this.#telling);
    this.#index[Symbol.dispose]();
    closeSync(this.#output);
  }

  /** These came next, and so many of them are on disk. */
  #count(channel: Channel, bytes: Uint8Array, kept: number, now: number): void {
    const start = this.#produced;
    this.#produced = start + bytes.length;
    if (kept > 0) {
      this.#gaps.end(start);
      this.#index.add(channel, start, kept, now);
    }
    if (kept < bytes.length) this.#miss(channel, start + kept, bytes.subarray(kept), now);
  }

  /** How many of the bytes are on disk. */
  #capture(bytes: Uint8Array, start: number): number {
    const wanted = Math.min(bytes.length, this.#room);
    if (wanted === 0) return 0;
    const stuck = this.#index.stuck;
    if (stuck !== null) {
      this.#failure = stuck;
      return 0;
    }
    const wrote = Number(this.#pwrite(this.#output, bytes, wanted, start));
    const kept = wrote === wanted ? wanted : this.#captureRest(bytes, Math.max(0, wrote), wanted, start);
    this.#room -= kept;
    return kept;
  }

  /** After a short or failed write: once more, through a call whose error can be told. */
  #captureRest(bytes: Uint8Array, from: number, wanted: number, start: number): number {
    let kept = from;
    try {
      while (kept < wanted) kept += writeSync(this.#output, bytes.subarray(kept, wanted), start + kept);
    } catch (error) {
      this.#failure = errnoOf(error) ?? "EIO";
    }
    return kept;
  }

  #mayResume(channel: Channel, start: number, now: number): boolean {
    if (this.#room === 0 || isWithin(RETRY_MS, this.#triedAt, now)) return false;
    this.#triedAt = now;
    return this.#index.mark(channel, start, now);
  }

  #miss(channel: Channel, cursor: number, bytes: Uint8Array, now: number): void {
    if (!this.#gaps.isIn) this.#triedAt = now;
    this.#gaps.begin(cursor, this.#room === 0 ? "limit" : this.#failure);
    this.#ring.push(channel, cursor, bytes, now);
    this.#telling ??= setTimeout(() => this.#tellProduced(channel), RETRY_MS).unref();
  }

  /** The cursor at which capture would go on is also how much was produced; readers of the files take it from there (producedIn). */
  #tellProduced(channel: Channel): void {
    this.#telling = null;
    if (this.#gaps.isIn) this.#index.mark(channel, this.#produced, Date.now());
  }
}

/** An adopted directory may hold what a start that died at once left behind. */
function openEmpty(dir: SessionDir, name: Artifact): number {
  const fd = dir.openArtifact(name, "create");
  try {
    ftruncateSync(fd, 0);
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}
