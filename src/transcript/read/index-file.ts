/**
 * index.jsonl: one line for each run of bytes of one channel, ordered by offset. Searches the file
 * in small blocks, so a read costs the same for any transcript length. Invalid lines (torn by a
 * crash, damaged on disk) are skipped.
 *
 * Two records that do not touch have a gap between them. A record of length 0 marks where capture
 * resumed after a gap.
 */
import { isChannelName } from "../../protocol/types/channels.ts";
import type { Channel } from "../../protocol/types/session.ts";
import { readAt } from "./read-at.ts";
import { endOf, type IndexRecord } from "../index-record.ts";
import { count, fields, parseJson, time } from "../shape.ts";

/** A record with the file position of its line. */
export interface PlacedRecord extends IndexRecord {
  position: number;
}

type Records = Generator<PlacedRecord, void, undefined>;

/** A longer line is not a record. */
const MAX_LINE = 256;
/** Bytes per read: small for the first block, larger for further ones. */
const FIRST_BLOCK = 512;
const MAX_BLOCK = 16 * 1024;
const SMALL_INDEX = 1024 * 1024;
const MOST_SAMPLES = 4096;
const CHANNELS: readonly Channel[] = ["pty", "stdout", "stderr"];

/** A reader without named channels treats their records as invalid and their bytes as a gap. */
const channelName = (value: unknown): Channel | undefined =>
  typeof value === "string" && (CHANNELS.includes(value) || isChannelName(value)) ? value : undefined;

const shape = fields<IndexRecord>({ offset: count, length: count, channel: channelName, timestamp: time });

export function parseIndexRecord(line: string): IndexRecord | null {
  return parseJson(line, shape);
}

export function lastRecord(fd: number, size: number): PlacedRecord | null {
  let last: PlacedRecord | null = null;
  for (let until = size; until > 0 && last === null; until -= MAX_LINE) {
    for (const record of recordsIn(fd, { from: Math.max(0, until - MAX_LINE), until, size })) last = record;
  }
  return last;
}

/**
 * All records from the one that contains the cursor, or the first after it. `end` estimates the end
 * of the last record.
 *
 * Interpolation usually finds the position in two or three steps, as records have similar sizes;
 * every third step halves the range, so no distribution takes more than 3 log2(size) steps.
 */
export function* recordsPast(
  fd: number,
  { size, cursor, end }: { size: number; cursor: number; end: number },
): Records {
  // Lines before `low` end at or before the cursor; all records from `high` on are past it.
  let low = 0;
  let lowCursor = 0;
  let high = size;
  let highCursor = end;
  for (let step = 1; low < high; step++) {
    const share = step % 3 === 0 ? 0.5 : (cursor - lowCursor) / Math.max(1, highCursor - lowCursor);
    // Aim a few lines early: the record and its predecessor then usually lie in one block, which
    // ends the search.
    const guess = Math.floor(low + share * (high - low)) - MAX_LINE;
    const from = Math.max(low, Math.min(guess, high - 1));
    const records = recordsIn(fd, { from, until: size, size });
    const { before, past } = around(records, cursor, from + FIRST_BLOCK);
    if (past !== null && (before !== null || from === low)) {
      yield past;
      yield* records;
      return;
    }
    if (before !== null) {
      low = before.position + 1;
      lowCursor = endOf(before);
    } else {
      high = from;
      highCursor = past?.offset ?? highCursor;
    }
  }
  yield* recordsIn(fd, { from: low, until: size, size });
}

/**
 * The first record past the cursor and its predecessor; stops early if all lines that begin before
 * `until` are before the cursor.
 */
function around(
  records: Records,
  cursor: number,
  until: number,
): { before: PlacedRecord | null; past: PlacedRecord | null } {
  let before: PlacedRecord | null = null;
  for (;;) {
    // A `for of` loop would close the generator.
    const { value } = records.next();
    if (!value) return { before, past: null };
    if (endOf(value) > cursor) return { before, past: value };
    before = value;
    if (value.position >= until) return { before, past: null };
  }
}

/** Number of channels in the index, found by searching its bytes without parsing. */
export function channelsIn(fd: number, size: number): number {
  const SEARCHED = 1024 * 1024;
  const missing = new Set(CHANNELS.map((channel) => `"channel":"${channel}"`));
  const block = Buffer.allocUnsafe(Math.min(SEARCHED, size));
  // Blocks overlap by the longest line.
  for (let at = 0; at < size && missing.size > 0; at += SEARCHED - MAX_LINE) {
    const bytes = block.subarray(0, readAt(fd, block.subarray(0, Math.min(SEARCHED, size - at)), at));
    for (const name of missing) if (bytes.includes(name)) missing.delete(name);
  }
  return CHANNELS.length - missing.size;
}

interface Range {
  from: number;
  until: number;
  /** Size of the file. */
  size: number;
}

/**
 * A sample of the index: every record of a small one; of a large one, records at even distances,
 * each extended to the next. The cost is bounded for any length.
 */
export function* overview(fd: number, size: number): Generator<IndexRecord, void> {
  if (size <= SMALL_INDEX) return yield* recordsIn(fd, { from: 0, until: size, size });
  const step = Math.max(MAX_LINE, Math.floor(size / MOST_SAMPLES));
  let last: IndexRecord | null = null;
  for (let from = 0; from < size; from += step) {
    const { value: record } = recordsIn(fd, { from, until: from + step, size }).next();
    if (record === undefined) continue;
    if (last !== null) yield { ...last, length: record.offset - last.offset };
    last = record;
  }
  const end = lastRecord(fd, size);
  if (last !== null) yield { ...last, length: end === null ? last.length : endOf(end) - last.offset };
}

/** Records whose lines begin in [from, until). */
function* recordsIn(fd: number, { from, until, size }: Range): Records {
  let block = FIRST_BLOCK;
  for (let at = from; at < until; at += block, block = Math.min(2 * block, MAX_BLOCK)) {
    const end = Math.min(at + block, until);
    // One byte back: a newline there means that a line begins at `at`.
    const start = Math.max(0, at - 1);
    const text = textAt(fd, start, Math.min(end + MAX_LINE, size));
    let line = at === 0 ? 0 : text.indexOf("\n") + 1;
    while (start + line < end) {
      const newline = text.indexOf("\n", line);
      if (newline === -1) break;
      const found = parseIndexRecord(text.slice(line, newline));
      if (found !== null) yield { ...found, position: start + line };
      line = newline + 1;
    }
  }
}

/** Allocated by the first read: a holder never reads an index. */
let scratch: Buffer | null = null;

function textAt(fd: number, from: number, to: number): string {
  scratch ??= Buffer.allocUnsafeSlow(MAX_BLOCK + MAX_LINE + 1);
  return scratch.toString("latin1", 0, readAt(fd, scratch.subarray(0, to - from), from));
}
