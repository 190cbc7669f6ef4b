/**
 * Reads the raw lines of a transcript from any cursor on. Line ends depend only on nearby bytes, so
 * every reader sees the same lines wherever it begins.
 *
 * A raw line is what one channel printed between two line ends: its line feeds, gaps, and the end
 * of each block of BLOCK bytes without one of these. So a line spans at most two blocks, and a
 * reader that begins one block early misses nothing. A line end at a block's end does not split a
 * character or a sequence.
 *
 * Lines are in order of their ends. An unfinished line ends at its last byte; a gap is a line of
 * its own.
 */
import type { Channel } from "../../protocol/types/session.ts";
import { LOOK_BACK } from "../../terminal/parser/unfinished-end.ts";
import type { IndexRecord } from "../../transcript/index-record.ts";
import type { ReadRequest, ReadResult } from "../../transcript/read/reader.ts";
import { type RawLine, RawLineWalk, type WalkStart } from "./raw-line-walk.ts";

export type { RawLine };

const BLOCK = 256 * 1024;
const LF = 10;
const LEAST_READ = 4096;
/** Few enough lines for the caller to yield soon. */
const MOST_READ = 32 * 1024;
const LOOKED_AHEAD = 1024 * 1024;
/** The start of a line is searched backwards in growing steps. */
const FIRST_STEP = 4096;

export interface LineSource {
  read(request: ReadRequest): Pick<ReadResult, "chunks" | "next_cursor">;
  runs(request: ReadRequest): readonly IndexRecord[];
}

export interface RawLinesOptions {
  source: LineSource;
  /** Null: all channels. */
  channel: Channel | null;
  /** The transcript is read up to this cursor. */
  end: number;
  block?: number;
}

export class RawLines {
  readonly end: number;
  readonly block: number;
  readonly #source: LineSource;
  readonly #channel: Channel | null;
  #stretch: { start: number; channel: Channel | null; end: number } | null = null;

  constructor({ source, channel, end, block = BLOCK }: RawLinesOptions) {
    this.#source = source;
    this.#channel = channel;
    this.end = end;
    this.block = block;
  }

  /** Batches of whole lines that end past `from`, until all that begin before `to` were read. */
  *between(from: number, to: number): Generator<RawLine[], void> {
    const walk = new RawLineWalk(this.#startFor(from), this.#channel, this.block);
    // Near the end the order is known only at the end: an unfinished line may end before others.
    const releasable = (): number => (walk.cursor > this.end - 2 * this.block ? -1 : walk.cursor - LOOK_BACK);
    const ordered = new OrderedLines();
    while (walk.cursor < this.end && !(walk.cursor >= to && walk.isSettled(to))) {
      if (!this.#step(walk, to)) break;
      ordered.add(walk.ended());
      yield ordered.upTo(releasable()).filter(({ end }) => end > from);
    }
    if (walk.cursor >= this.end || walk.cursor < to) walk.finish();
    ordered.add(walk.ended());
    yield ordered.upTo(Number.POSITIVE_INFINITY).filter(({ end }) => end > from);
  }

  /** Reads some bytes; false when there are none. */
  #step(walk: RawLineWalk, to: number): boolean {
    const before = walk.cursor;
    if (this.#channel !== null) walk.skipTo(this.#skipOthers(before, this.#channel));
    if (walk.cursor > before) return true;
    const maxBytes = Math.min(Math.max(LEAST_READ, to - before), MOST_READ, this.end - before);
    const { chunks, next_cursor } = this.#source.read({ cursor: before, maxBytes });
    for (const { channel, offset, bytes } of chunks) {
      if (offset < this.end) walk.push(channel, offset, bytes.subarray(0, this.end - offset));
    }
    const next = Math.min(next_cursor, this.end);
    if (next > walk.cursor) walk.gap(next);
    return walk.cursor > before;
  }

  /** Cursor of the channel's next bytes, or of a gap. */
  #skipOthers(cursor: number, channel: Channel): number {
    let at = cursor;
    for (const { offset, length, channel: from } of this.#source.runs({ cursor, maxBytes: LOOKED_AHEAD })) {
      if (from === channel || offset > at) break;
      at = offset + length;
    }
    return Math.min(at, this.end);
  }

  /** A start from which every line that ends past `from` is whole. */
  #startFor(from: number): WalkStart {
    const early = Math.max(0, (Math.floor(from / this.block) - 1) * this.block);
    return (
      this.#lineStartAt(Math.min(from, this.end), early) ?? {
        cursor: early,
        isHeadless: early > 0,
        lineFeedChannel: null,
      }
    );
  }

  /**
   * The stretch that one channel alone printed, without a gap. Cached: readers of many places ask
   * for it repeatedly.
   */
  #stretchFrom(start: number): { start: number; channel: Channel | null; end: number } {
    if (this.#stretch?.start === start) return this.#stretch;
    const runs = this.#source.runs({ cursor: start, maxBytes: Math.min(2 * this.block, this.end - start) });
    const channel = runs[0]?.channel ?? null;
    let end = start;
    for (const run of runs) {
      if (run.offset !== end || run.channel !== channel) break;
      end = run.offset + run.length;
    }
    this.#stretch = { start, channel, end };
    return this.#stretch;
  }

  /** Start of the line at `from` when one channel alone printed since `early`; null otherwise. */
  #lineStartAt(from: number, early: number): WalkStart | null {
    if (from <= early) return null;
    const { channel, end } = this.#stretchFrom(early);
    if (end < from || (this.#channel !== null && this.#channel !== channel)) return null;
    for (let until = from, step = FIRST_STEP; until > early; until -= step, step *= 4) {
      const start = Math.max(early, until - step);
      const { chunks } = this.#source.read({ cursor: start, maxBytes: until - start });
      for (const { offset, bytes } of chunks.toReversed()) {
        const at = bytes.lastIndexOf(LF);
        if (at >= 0) return { cursor: offset + at + 1, isHeadless: false, lineFeedChannel: channel };
      }
    }
    return null;
  }
}

/** Lines ordered back until no earlier line can follow. */
class OrderedLines {
  #lines: RawLine[] = [];

  add(lines: RawLine[]): void {
    this.#lines = this.#lines.length === 0 ? lines : this.#lines.concat(lines);
    if (!isInOrder(this.#lines)) this.#lines.sort((a, b) => a.end - b.end || a.start - b.start);
  }

  upTo(end: number): RawLine[] {
    const first = this.#lines.findLastIndex((line) => line.end <= end) + 1;
    const released = this.#lines.slice(0, first);
    this.#lines = this.#lines.slice(first);
    return released;
  }
}

/** Lines are almost always in order; several channels may end lines out of turn. */
function isInOrder(lines: readonly RawLine[]): boolean {
  for (let at = 1; at < lines.length; at++) {
    const [a, b] = [lines[at - 1], lines[at]];
    if (a !== undefined && b !== undefined && (a.end > b.end || (a.end === b.end && a.start > b.start))) return false;
  }
  return true;
}
