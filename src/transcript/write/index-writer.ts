/**
 * Writes index.jsonl.
 *
 * Bytes of one channel that arrive together share a record. The first bytes after a pause get a
 * record at once, so that waiting readers wake up without delay; later ones are gathered until the
 * record is full, the channel changes, or GATHER_MS have passed. The write offset moves past whole
 * lines only: a torn line is overwritten by the next try.
 */
import { closeSync, ftruncateSync, writeSync } from "../../platform/fs/libc-fs.ts";
import { errnoOf } from "../../protocol/types/errors.ts";
import type { Channel } from "../../protocol/types/session.ts";
import { encodeIndexRecord } from "../index-record.ts";
import { bytesOf } from "../../protocol/types/bytes.ts";

/** Bytes that are in output.bin and not yet in index.jsonl. */
export interface ByteRun {
  offset: number;
  length: number;
  channel: Channel;
  timestamp: number;
}

export const GATHER_MS = 5;
export const RETRY_MS = 100;
const MAX_RECORD_BYTES = 64 * 1024;
/** Most records kept while the index cannot be written; beyond it capture stops. */
const MAX_BACKLOG = 4096;

export class IndexWriter implements Disposable {
  readonly #fd: number;
  readonly #written: ((run: ByteRun) => void) | null;
  #position = 0;
  /** Length of a mark() line at #position, which becomes permanent with the next add(). */
  #markBytes = 0;
  /** Closed records, oldest first. */
  #backlog: ByteRun[] = [];
  /** The open record, as separate fields so that adding to it allocates nothing. */
  #offset = 0;
  #length = 0;
  #channel: Channel = "pty";
  #startedAt = 0;
  #lastAddedAt = Number.NEGATIVE_INFINITY;
  #failure: string | null = null;
  #triedAt = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;

  /** Takes an empty file, and closes it on dispose. */
  constructor(fd: number, written: ((run: ByteRun) => void) | null = null) {
    this.#fd = fd;
    this.#written = written;
  }

  /** The errno that stops capture; null while the index accepts records. */
  get stuckErrno(): string | null {
    return this.#failure !== null && this.#backlog.length >= MAX_BACKLOG ? this.#failure : null;
  }

  /** Records bytes that are in output.bin. settle() must follow. */
  add(channel: Channel, offset: number, length: number, now: number): void {
    this.#position += this.#markBytes;
    this.#markBytes = 0;
    const wasQuiet = !isWithin(GATHER_MS, this.#lastAddedAt, now);
    this.#lastAddedAt = now;
    const continues = channel === this.#channel && offset === this.#offset + this.#length;
    if (!continues || !isWithin(GATHER_MS, this.#startedAt, now)) this.#close();
    let left = length;
    while (left > 0) {
      if (this.#length === 0) {
        this.#offset = offset + length - left;
        this.#channel = channel;
        this.#startedAt = now;
      }
      const taken = Math.min(left, MAX_RECORD_BYTES - this.#length);
      this.#length += taken;
      left -= taken;
      if (this.#length === MAX_RECORD_BYTES) this.#close();
    }
    if (wasQuiet) this.#close();
  }

  /** Writes the records that are due. */
  settle(now: number): void {
    if (this.#backlog.length > 0 && (this.#failure === null || !isWithin(RETRY_MS, this.#triedAt, now)))
      this.#write(now);
    if (this.#length > 0 || this.#backlog.length > 0) this.#arm();
  }

  /** Writes all records; false on failure. */
  flush(now: number): boolean {
    this.#close();
    return this.#write(now);
  }

  /**
   * Records that capture resumes at this offset. The next add() makes the line permanent; until
   * then the next mark() replaces it.
   */
  mark(channel: Channel, offset: number, now: number): boolean {
    if (!this.flush(now)) return false;
    const line = bytesOf(encodeRun({ offset, length: 0, channel, timestamp: now }));
    if (this.#put(line) < line.length) return false;
    this.#markBytes = line.length;
    return true;
  }

  /** The first run at or after the cursor that has no line yet. */
  unwritten(cursor: number): ByteRun | null {
    const run = this.#backlog.find(({ offset, length }) => offset + length > cursor);
    if (run !== undefined) return run;
    if (this.#length === 0 || this.#offset + this.#length <= cursor) return null;
    return { offset: this.#offset, length: this.#length, channel: this.#channel, timestamp: this.#startedAt };
  }

  [Symbol.dispose](): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.flush(Date.now());
    try {
      ftruncateSync(this.#fd, this.#position);
    } catch {
      // Readers skip a torn last line.
    }
    closeSync(this.#fd);
  }

  /**
   * Ends the open record. While the index fails, adjacent records are merged to keep the backlog
   * short.
   */
  #close(): void {
    if (this.#length === 0) return;
    const last = this.#backlog.at(-1);
    if (this.#failure !== null && last?.channel === this.#channel && last.offset + last.length === this.#offset) {
      last.length += this.#length;
    } else {
      this.#backlog.push({
        offset: this.#offset,
        length: this.#length,
        channel: this.#channel,
        timestamp: this.#startedAt,
      });
    }
    this.#length = 0;
  }

  #write(now: number): boolean {
    this.#triedAt = now;
    const lines = this.#backlog.map(encodeRun);
    const written = this.#put(bytesOf(lines.join("")));
    let whole = 0;
    let bytes = 0;
    for (const line of lines) {
      if (bytes + line.length > written) break;
      bytes += line.length;
      whole++;
    }
    this.#position += bytes;
    const done = this.#backlog.splice(0, whole);
    if (this.#written !== null) for (const run of done) this.#written(run);
    return this.#backlog.length === 0;
  }

  /** Writes at #position; returns the number of bytes written. */
  #put(bytes: Uint8Array): number {
    let written = 0;
    try {
      while (written < bytes.length) {
        written += writeSync(this.#fd, bytes.subarray(written), this.#position + written);
      }
      this.#failure = null;
    } catch (error) {
      this.#failure = errnoOf(error) ?? "EIO";
    }
    return written;
  }

  #arm(): void {
    if (this.#timer !== null) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = null;
        if (!this.flush(Date.now())) this.#arm();
      },
      this.#failure === null ? GATHER_MS : RETRY_MS,
    );
    this.#timer.unref();
  }
}

/** False also if the clock was set back. */
export function isWithin(ms: number, since: number, now: number): boolean {
  return now >= since && now - since < ms;
}

function encodeRun({ offset, length, channel, timestamp }: ByteRun): string {
  return encodeIndexRecord({ offset, length, channel, timestamp: new Date(timestamp).toISOString() });
}
