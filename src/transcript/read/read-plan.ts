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
 * State of the files. The index is measured first, so that output.bin contains the bytes it names.
 */
export interface Extent {
  /** Null until the holder has created the index. */
  indexFd: number | null;
  indexSize: number;
  outputSize: number;
  /** Time of the last write to output.bin, in milliseconds. */
  writtenAt: number;
}

/** Facts about a transcript that is no longer written. */
export interface TranscriptEnd {
  /** Bytes that the command produced: more than the file has if the last ones were not captured. */
  produced: number;
  /**
   * Channel given to the last bytes of output.bin if they have no index record: the holder died
   * before it wrote one.
   */
  channel: Channel;
}

export interface ReadPlan {
  /** Runs of bytes to load, each within one index record. */
  runs: IndexRecord[];
  next: number;
  /** No bytes are left past `next`. */
  isAtEnd: boolean;
  /** Uncaptured bytes lie between the cursor and `next`. */
  truncated: boolean;
}

/**
 * Most index records that one read visits, of the requested channel or not; the next read continues
 * there.
 */
const MAX_RECORDS = 16_384;

/** `transcriptEnd` is null while the transcript is still written, as far as the caller knows. */
export function planRead(request: ReadRequest, extent: Extent, transcriptEnd: TranscriptEnd | null): ReadPlan {
  const runs: IndexRecord[] = [];
  let next = request.cursor;
  let room = request.maxBytes;
  let truncated = false;
  let visited = 0;
  for (const record of readableFrom(request.cursor, extent, transcriptEnd)) {
    if (room === 0 || visited++ === MAX_RECORDS) return { runs, next, isAtEnd: false, truncated };
    if (record.offset > next) {
      truncated = true;
      next = record.offset;
    }
    const left = Math.max(0, Math.min(endOf(record), extent.outputSize) - next);
    const isWanted = request.channel === undefined || request.channel === record.channel;
    const length = isWanted ? Math.min(left, room) : 0;
    if (length > 0) runs.push({ ...record, offset: next, length });
    room -= length;
    next += isWanted ? length : left;
    if (isWanted && length < left) return { runs, next, isAtEnd: false, truncated };
  }
  if (transcriptEnd === null) return { runs, next, isAtEnd: true, truncated };
  const end = Math.max(extent.outputSize, transcriptEnd.produced);
  return { runs, next: end, isAtEnd: true, truncated: truncated || next < end };
}

function* readableFrom(
  cursor: number,
  extent: Extent,
  transcriptEnd: TranscriptEnd | null,
): Generator<IndexRecord, void, undefined> {
  const { indexFd, indexSize, outputSize, writtenAt } = extent;
  let covered = cursor; // end of the bytes that have an index record
  if (indexFd !== null) {
    for (const record of recordsPast(indexFd, { size: indexSize, cursor, end: outputSize })) {
      // The bytes are missing: the index names them first when capture resumes after a gap, or a
      // power cut reordered the writes.
      if (record.offset >= outputSize) continue;
      covered = Math.max(covered, endOf(record));
      yield record;
    }
  }
  if (transcriptEnd !== null && covered < outputSize) {
    const timestamp = new Date(writtenAt).toISOString();
    yield { offset: covered, length: outputSize - covered, channel: transcriptEnd.channel, timestamp };
  }
}
