/** The last bytes that were not captured, for live readers. */
import type { Channel } from "../../protocol/types/session.ts";
import { GATHER_MS, isWithin } from "./index-writer.ts";

export interface RecentBytes {
  cursor: number;
  channel: Channel;
  timestamp: number;
  bytes: Uint8Array;
}

const SIZE = 1024 * 1024;
/** Bound for tiny runs of alternating channels: the oldest are dropped. */
const MAX_RUNS = 4096;

/** Bytes from `cursor` to that of the next run, or to the end. */
interface Run {
  cursor: number;
  channel: Channel;
  timestamp: number;
}

export class RecentRing {
  /**
   * Byte N of the transcript is at N modulo SIZE. Allocated at the first gap: most sessions never
   * have one.
   */
  #bytes: Uint8Array | null = null;
  #runs: Run[] = [];
  #from = 0;
  #to = 0;

  push(channel: Channel, cursor: number, bytes: Uint8Array, now: number): void {
    if (cursor !== this.#to) {
      this.#runs = [];
      this.#from = cursor;
    }
    const last = this.#runs.at(-1);
    if (last?.channel !== channel || !isWithin(GATHER_MS, last.timestamp, now)) {
      this.#runs.push({ cursor, channel, timestamp: now });
    }
    this.#to = cursor + bytes.length;
    this.#copyIn(bytes);
    this.#dropBefore(this.#to - SIZE);
    while (this.#runs.length > MAX_RUNS) this.#dropBefore(this.#runs[1]?.cursor ?? this.#to);
  }

  /** The first bytes at or after the cursor, of one channel. */
  read(cursor: number, maxBytes: number): RecentBytes | null {
    const at = Math.max(cursor, this.#from);
    const index = this.#runs.findLastIndex((run) => run.cursor <= at);
    const run = this.#runs[index];
    if (at >= this.#to || run === undefined) return null;
    const end = Math.min(this.#runs[index + 1]?.cursor ?? this.#to, at + maxBytes);
    return { cursor: at, channel: run.channel, timestamp: run.timestamp, bytes: this.#copyOut(at, end) };
  }

  #dropBefore(cursor: number): void {
    if (cursor <= this.#from) return;
    this.#from = cursor;
    const first = this.#runs.findLastIndex((run) => run.cursor <= cursor);
    if (first > 0) this.#runs.splice(0, first);
  }

  #copyIn(bytes: Uint8Array): void {
    this.#bytes ??= new Uint8Array(SIZE);
    const kept = bytes.length > SIZE ? bytes.subarray(bytes.length - SIZE) : bytes;
    const at = (this.#to - kept.length) % SIZE;
    const untilEdge = SIZE - at;
    if (kept.length <= untilEdge) {
      this.#bytes.set(kept, at);
    } else {
      this.#bytes.set(kept.subarray(0, untilEdge), at);
      this.#bytes.set(kept.subarray(untilEdge), 0);
    }
  }

  #copyOut(from: number, to: number): Uint8Array {
    const copy = new Uint8Array(to - from);
    if (this.#bytes === null) return copy;
    const at = from % SIZE;
    const untilEdge = this.#bytes.subarray(at, at + copy.length);
    copy.set(untilEdge, 0);
    copy.set(this.#bytes.subarray(0, copy.length - untilEdge.length), untilEdge.length);
    return copy;
  }
}
