/**
 * The writing end of index.jsonl.
 *
 * Bytes of one channel that come close together share a record. The first after a quiet moment get theirs at once, so
 * that whoever waits is woken without delay; what follows is gathered until the record is full, the channel changes, or
 * GATHER_MS have passed. Lines are written at an offset that moves only past whole lines: what a full disk tore is
 * overwritten by the next try.
 */
import { closeSync, ftruncateSync, writeSync } from "../../platform/fs/libc-fs.ts";
import { errnoOf } from "../../protocol/types/errors.ts";
import type { Channel } from "../../protocol/types/session.ts";
import { encodeIndexRecord } from "../index-record.ts";
import { bytesOf } from "../../protocol/types/bytes.ts";

/** A run of bytes that output.bin has and index.jsonl has not yet. */
export interface ByteRun {
  offset: number;
  length: number;
  channel: Channel;
  timestamp: number;
}

export const GATHER_MS = 5;
export const RETRY_MS = 100;
const MAX_RECORD_BYTES = 64 * 1024;
/** Records kept while the index cannot be written; past it nothing more can be captured. */
const MAX_BACKLOG = 4096;

export class IndexWriter implements Disposable {
  readonly #fd: number;
  readonly #written: ((run: ByteRun) => void) | null;
  #position = 0;
  /** Of a line at #position that counts only once the bytes that it announces were written. */
  #markBytes = 0;
  /** Closed records, oldest first. */
  #backlog: ByteRun[] = [];
  /** The open record, in fields so that adding to it makes no object. */
  #offset = 0;
  #length = 0;
  #channel: Channel = "pty";
  #startedAt = 0;
  #lastAddedAt = Number.NEGATIVE_INFINITY;
  #failure: string | null = null;
  #triedAt = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;

  /** Of an empty file, which is closed with this. */
  constructor(fd: number, written: ((run: ByteRun) => void) | null = null) {
    this.#fd = fd;
    this.#written = written;
  }

  /** Why no more can be taken in, as an errno; null while it can. */
  get stuck(): string | null {
    return this.#failure !== null && this.#backlog.length >= MAX_BACKLOG ? this.#failure : null;
  }

  /** These bytes are in output.bin. settle() must follow. */
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

  /** Of what was added, the records that are due. */
  settle(now: number): void {
    if (this.#backlog.length > 0 && (this.#failure === null || !isWithin(RETRY_MS, this.#triedAt, now)))
      this.#write(now);
    if (this.#length > 0 || this.#backlog.length > 0) this.#arm();
  }

  /** Everything that was added; false when it could not be written. */
  flush(now: number): boolean {
    this.#close();
    return this.#write(now);
  }

  /** Says that capture goes on at this offset. The next add() makes it stay; until then the next mark replaces it. */
  mark(channel: Channel, offset: number, now: number): boolean {
    if (!this.flush(now)) return false;
    const line = bytesOf(encodeRun({ offset, length: 0, channel, timestamp: now }));
    if (this.#put(line) < line.length) return false;
    this.#markBytes = line.length;
    return true;
  }

  /** The first bytes at or after the cursor that have no line yet. */
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
      // A torn line at the end is passed over by every reader.
    }
    closeSync(this.#fd);
  }

  /** Ends the open record. While the index fails, neighbours become one, so that the backlog stays short. */
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

  /** How many bytes were written at #position. */
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

/** False also when the clock was set back. */
export function isWithin(ms: number, since: number, now: number): boolean {
  return now >= since && now - since < ms;
}

function encodeRun({ offset, length, channel, timestamp }: ByteRun): string {
  return encodeIndexRecord({ offset, length, channel, timestamp: new Date(timestamp).toISOString() });
}
