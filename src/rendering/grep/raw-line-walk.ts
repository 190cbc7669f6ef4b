/**
 * Walks a transcript in order and divides it into raw lines (defined in raw-lines.ts).
 *
 * A block is a stretch of `block` bytes of the transcript that begins at a multiple of `block`.
 * Every channel has a line end in every block: a line feed, a gap, or else the block's end.
 */
import { joined } from "../../protocol/types/bytes.ts";
import type { Channel } from "../../protocol/types/session.ts";
import { unfinishedLength, LOOK_BACK } from "../../terminal/parser/unfinished-end.ts";

const LF = 10;

export interface LinePiece {
  offset: number;
  bytes: Uint8Array;
}

export interface RawLine {
  /** Null: a gap. It has no pieces, and its start is its end. */
  channel: Channel | null;
  start: number;
  end: number;
  pieces: readonly LinePiece[];
}

export interface WalkStart {
  cursor: number;
  /** Lines may have begun before the cursor. */
  isHeadless: boolean;
  /** The channel that printed a line feed right before the cursor. */
  lineFeedChannel: Channel | null;
}

interface Pending {
  pieces: LinePiece[];
  /** The line began before the walk did, so it is not reported. */
  isHeadless: boolean;
  /** A line of the channel ended in this block, so the block's end does not end another. */
  hasLineEnd: boolean;
}

export class RawLineWalk {
  readonly #block: number;
  /** Null: all. */
  readonly #channel: Channel | null;
  readonly #pending = new Map<Channel, Pending>();
  #cursor: number;
  /** For channels without bytes so far. */
  #isHeadless: boolean;
  /** A gap ended in this block. A gap ends the lines of all channels. */
  #hadGap = false;
  #done: RawLine[] = [];

  constructor({ cursor, isHeadless, lineFeedChannel }: WalkStart, channel: Channel | null, block: number) {
    this.#cursor = cursor;
    this.#isHeadless = isHeadless;
    this.#block = block;
    this.#channel = channel;
    if (lineFeedChannel === null) return;
    // At a block's start, the line feed before the cursor is the line end of the previous block.
    const hasLineEnd = cursor % block !== 0;
    this.#pending.set(lineFeedChannel, { pieces: [], isHeadless: false, hasLineEnd });
  }

  get cursor(): number {
    return this.#cursor;
  }

  /** True when every line that begins before `to` has ended. */
  isSettled(to: number): boolean {
    for (const { pieces } of this.#pending.values()) if (pieces[0] !== undefined && pieces[0].offset < to) return false;
    return true;
  }

  push(channel: Channel, offset: number, bytes: Uint8Array): void {
    if (offset > this.#cursor) this.gap(offset);
    const isWanted = this.#channel === null || this.#channel === channel;
    for (let rest = bytes; rest.length > 0; ) {
      const part = rest.subarray(0, this.#blockEnd() - this.#cursor);
      if (isWanted) this.#split(this.#pendingOf(channel), channel, part);
      this.skipTo(this.#cursor + part.length);
      rest = rest.subarray(part.length);
    }
  }

  /**
   * Moves the cursor on and ends each block that it passes. Bytes before it that were not pushed
   * are of other channels.
   */
  skipTo(cursor: number): void {
    for (let end = this.#blockEnd(); end <= cursor; end = this.#blockEnd()) {
      this.#cursor = end;
      this.#endBlock();
    }
    this.#cursor = cursor;
  }

  /** Bytes up to `to` are missing. */
  gap(to: number): void {
    for (const [channel, pending] of this.#pending) this.#close(channel, pending, this.#cursor);
    this.#pending.clear();
    this.#done.push({ channel: null, start: to, end: to, pieces: [] });
    this.#cursor = to;
    this.#isHeadless = false;
    this.#hadGap = to % this.#block !== 0; // at a block's start, the gap belongs to the previous block
  }

  finish(): void {
    for (const [channel, pending] of this.#pending) {
      const last = pending.pieces.at(-1);
      if (last !== undefined) this.#close(channel, pending, endOf(last));
    }
  }

  /**
   * Lines that ended since the last call, unsorted: a line ended by a block's end stops before its
   * unfinished character or sequence, and another channel may have ended a line after that position.
   */
  ended(): RawLine[] {
    const done = this.#done;
    this.#done = [];
    return done;
  }

  #blockEnd(): number {
    return (Math.floor(this.#cursor / this.#block) + 1) * this.#block;
  }

  #pendingOf(channel: Channel): Pending {
    const known = this.#pending.get(channel);
    if (known !== undefined) return known;
    const pending = { pieces: [], isHeadless: this.#isHeadless, hasLineEnd: this.#hadGap };
    this.#pending.set(channel, pending);
    return pending;
  }

  #split(pending: Pending, channel: Channel, part: Uint8Array): void {
    let from = 0;
    for (let at = part.indexOf(LF); at >= 0; at = part.indexOf(LF, from)) {
      pending.pieces.push({ offset: this.#cursor + from, bytes: part.subarray(from, at + 1) });
      from = at + 1;
      this.#close(channel, pending, this.#cursor + from);
      pending.hasLineEnd = true;
    }
    if (from < part.length) pending.pieces.push({ offset: this.#cursor + from, bytes: part.subarray(from) });
  }

  #close(channel: Channel, pending: Pending, end: number): void {
    const [first] = pending.pieces;
    if (first !== undefined && !pending.isHeadless)
      this.#done.push({ channel, start: first.offset, end, pieces: pending.pieces });
    pending.pieces = [];
    pending.isHeadless = false;
  }

  /** Every channel has had a line end by now, so no line that began before the walk is left. */
  #endBlock(): void {
    for (const [channel, pending] of this.#pending) {
      if (!pending.hasLineEnd) this.#endAtBlock(channel, pending);
      pending.hasLineEnd = false;
      pending.isHeadless = false;
    }
    this.#isHeadless = false;
    this.#hadGap = false;
  }

  /** An unfinished character or sequence is kept back: it begins the next line. */
  #endAtBlock(channel: Channel, pending: Pending): void {
    const keptBack = takeLast(pending.pieces, unfinishedLength(this.#lastBytes(pending.pieces)));
    this.#close(channel, pending, keptBack[0]?.offset ?? this.#cursor);
    pending.pieces = keptBack;
  }

  /** The last bytes of this block, however they were chunked. */
  #lastBytes(pieces: readonly LinePiece[]): Uint8Array {
    const last: Uint8Array[] = [];
    let length = 0;
    for (const { offset, bytes } of pieces.toReversed()) {
      if (offset < this.#cursor - this.#block || length >= LOOK_BACK) break;
      last.unshift(bytes.subarray(-LOOK_BACK));
      length += bytes.length;
    }
    return joined(last);
  }
}

/** The bytes of a line. */
export function lineBytes(pieces: readonly LinePiece[]): Uint8Array {
  const [first] = pieces;
  return first !== undefined && pieces.length === 1 ? first.bytes : joined(pieces.map(({ bytes }) => bytes));
}

function endOf({ offset, bytes }: LinePiece): number {
  return offset + bytes.length;
}

function takeLast(pieces: LinePiece[], count: number): LinePiece[] {
  const taken: LinePiece[] = [];
  for (let left = count; left > 0; ) {
    const last = pieces.pop();
    if (last === undefined) break;
    const keep = Math.max(0, last.bytes.length - left);
    if (keep > 0) pieces.push({ offset: last.offset, bytes: last.bytes.subarray(0, keep) });
    taken.unshift({ offset: last.offset + keep, bytes: last.bytes.subarray(keep) });
    left -= last.bytes.length - keep;
  }
  return taken;
}
