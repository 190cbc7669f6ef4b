/** Which bytes of output.bin answer a read, decided from the index alone. */
import type { Channel } from "../../protocol/types/session.ts";
import { recordsPast } from "./index-file.ts";
import { endOf, type IndexRecord } from "../index-record.ts";

export interface ReadRequest {
  cursor: number;
  maxBytes: number;
  channel?: Channel;
}

/** The files as they were found. The index is measured first, so that what it names is in the output. */
export interface Extent {
  index: number | null;
  indexSize: number;
  outputSize: number;
  /** When output.bin was last written, in milliseconds. */
  writtenAt: number;
}

/** What is known of a transcript that nobody writes any more. */
export interface TranscriptEnd {
  /** Bytes the command produced: more than the file has when the last of them were not captured. */
  produced: number;
  /** Of bytes that the holder did not live to index. */
  channel: Channel;
}

export interface ReadPlan {
  pieces: IndexRecord[];
  next: number;
  /** Nothing is left past `next`. */
  isAtEnd: boolean;
  /** Bytes that were not captured lie between the cursor and `next`. */
  truncated: boolean;
}

/** Records of other channels that one read may pass over; the next one goes on from there. */
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
      // Announced bytes that did not come, or what a power cut left of the order of our writes.
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
