/** Decides from the index alone which bytes of output.bin answer a read. */
import type { Channel } from "../../protocol/types/session.ts";
import { recordsPast } from "./index-file.ts";
import { endOf, type IndexRecord } from "../index-record.ts";

export interface ReadRequest {
  cursor: number;
  maxBytes: number;
  channel?: Channel;
}

/**
 * State of the files. The index is measured first, so that output.bin contains all bytes it names.
 */
export interface Extent {
  index: number | null;
  indexSize: number;
  outputSize: number;
  /** Time of the last write to output.bin, in milliseconds. */
  writtenAt: number;
}

/** Facts about a transcript that is no longer written. */
export interface TranscriptEnd {
  /** Bytes that the command produced: more than the file has if the last ones were not captured. */
  produced: number;
  /** Channel of the bytes that the holder died before indexing. */
  channel: Channel;
}

export interface ReadPlan {
  pieces: IndexRecord[];
  next: number;
  /** No bytes are left past `next`. */
  isAtEnd: boolean;
  /** Uncaptured bytes lie between the cursor and `next`. */
  truncated: boolean;
}

/** Most records that one read skips for other channels; the next read continues there. */
const MAX_RECORDS = 16_384;

export function planRead(request: ReadRequest, extent: Extent, ending: TranscriptEnd | null): ReadPlan {
  const pieces: IndexRecord[] = [];
  let next = request.cursor;
  let room = request.maxBytes;
  let truncated = false;
  let visited = 0;
  for (const record of readableFrom(request.cursor, extent, ending)) {
    if (room === 0 || visited++ === MAX_RECORDS) return { pieces, next, isAtEnd: false, truncated };
    if (record.offset > next) {
      truncated = true;
      next = record.offset;
    }
    const left = Math.max(0, Math.min(endOf(record), extent.outputSize) - next);
    const isWanted = request.channel === undefined || request.channel === record.channel;
    const length = isWanted ? Math.min(left, room) : 0;
    if (length > 0) pieces.push({ ...record, offset: next, length });
    room -= length;
    next += isWanted ? length : left;
    if (isWanted && length < left) return { pieces, next, isAtEnd: false, truncated };
  }
  if (ending === null) return { pieces, next, isAtEnd: true, truncated };
  const end = Math.max(extent.outputSize, ending.produced);
  return { pieces, next: end, isAtEnd: true, truncated: truncated || next < end };
}

function* readableFrom(
  cursor: number,
  extent: Extent,
  ending: TranscriptEnd | null,
): Generator<IndexRecord, void, undefined> {
  const { index, indexSize, outputSize, writtenAt } = extent;
  let end = cursor;
  if (index !== null) {
    for (const record of recordsPast(index, { size: indexSize, cursor, end: outputSize })) {
      // The bytes are missing: they were announced but not written, or a power cut reordered the
      // writes.
      if (record.offset >= outputSize) continue;
      end = Math.max(end, endOf(record));
      yield record;
    }
  }
  if (ending !== null && end < outputSize) {
    const timestamp = new Date(writtenAt).toISOString();
    yield { offset: end, length: outputSize - end, channel: ending.channel, timestamp };
  }
}
