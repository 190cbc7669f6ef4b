/**
 * The one writer of a transcript.
 *
 * The offset of a byte in output.bin is its cursor. Bytes that could not be captured (limit, full
 * disk) leave a gap, which the index records. append() never throws, and loses no byte that fits.
 *
 * After a gap the index records where capture resumes before the bytes are written: a holder that
 * dies in between leaves no gap that looks like output. (In output.bin a gap reads as zero bytes.)
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

/** Open, empty files; the writer closes them. */
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
  /** Called for each read under heavy output: no closure and no loop around it. */
  readonly #pwrite = libc().pwrite;
  #isOpen = true;
  #produced = 0;
  /** Bytes left below the limit. */
  #room: number;
  #failure = "limit";
  #triedAt = 0;
  /** Timer that writes the progress of a gap to the index. */
  #progressTimer: ReturnType<typeof setTimeout> | null = null;

  constructor({ output, index }: TranscriptFiles, { maxBytes, onGap = () => {}, onChunk = null }: WriterOptions) {
    this.#output = output;
    this.#index = new IndexWriter(index, onChunk);
    this.#gaps = new Gaps(onGap);
    this.#room = maxBytes;
  }

  static create(dir: SessionDir, options: WriterOptions): TranscriptWriter {
    return new TranscriptWriter(createTranscript(dir), options);
  }

  /** Bytes produced so far, which is the next cursor. */
  get produced(): number {
    return this.#produced;
  }

  /** Whether bytes are written to disk; false in a gap. */
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

  /**
   * Writes the bytes without announcing them. Readers of the files see them after announce(), which
   * must follow in the same turn.
   */
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
   * For live readers in this process: the first bytes at or after the cursor that readers of the
   * files cannot see yet, because they have no index record or are in the last megabyte of a gap.
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
    if (this.#progressTimer !== null) clearTimeout(this.#progressTimer);
    this.#index[Symbol.dispose]();
    closeSync(this.#output);
  }

  /** Accounts for the next bytes, of which `kept` are on disk. */
  #count(channel: Channel, bytes: Uint8Array, kept: number, now: number): void {
    const start = this.#produced;
    this.#produced = start + bytes.length;
    if (kept > 0) {
      this.#gaps.end(start);
      this.#index.add(channel, start, kept, now);
    }
    if (kept < bytes.length) this.#miss(channel, start + kept, bytes.subarray(kept), now);
  }

  /** Writes to output.bin; returns the number of bytes written. */
  #capture(bytes: Uint8Array, start: number): number {
    const wanted = Math.min(bytes.length, this.#room);
    if (wanted === 0) return 0;
    const stuckErrno = this.#index.stuckErrno;
    if (stuckErrno !== null) {
      this.#failure = stuckErrno;
      return 0;
    }
    const wrote = Number(this.#pwrite(this.#output, bytes, wanted, start));
    const kept = wrote === wanted ? wanted : this.#captureRest(bytes, Math.max(0, wrote), wanted, start);
    this.#room -= kept;
    return kept;
  }

  /** After a short or failed write: tries again through a call that reports its errno. */
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
    this.#progressTimer ??= setTimeout(() => this.#markProduced(channel), RETRY_MS).unref();
  }

  /**
   * A mark at the current cursor also records how much was produced in a gap; readers of the files
   * take it from there (producedIn).
   */
  #markProduced(channel: Channel): void {
    this.#progressTimer = null;
    if (this.#gaps.isIn) this.#index.mark(channel, this.#produced, Date.now());
  }
}

/** Truncates the file: an adopted directory may contain files of a start that died. */
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
