/**
 * The screen of a session, as a reader of its transcript: a cursor of its own, moved in bounded slices by whoever has the time. What it is given
 * depends on nothing but the bytes and the resizes before the cursor, so that the same moment always looks the same.
 */
import type { Emulator } from "../terminal/emulator/emulator.ts";
import { SequenceScanner } from "../terminal/parser/sequence-scanner.ts";
import type { Keyframe } from "../transcript/write/keyframes.ts";
import { skipScrolledLines } from "./fast-scroll.ts";

/** Bytes of a transcript by cursor, wherever they are kept. */
export interface ScreenSource {
  /** The first bytes at or after the cursor; null where there are none yet. What lies between was not kept. */
  next(cursor: number, maxBytes: number): { cursor: number; bytes: Uint8Array } | null;
}

export interface RendererOptions {
  source: ScreenSource;
  /** Of that size, and empty. */
  emulator: Emulator;
  /** Ascending. */
  resizes: readonly Resize[];
  /** Given instead of everything before it. */
  keyframe: Keyframe | null;
}

/** So much takes a while: that is said at once. */
export const LONG_BYTES = 4 * 1024 * 1024;
/** Less than a millisecond of the emulator's time. */
const SLICE_BYTES = 16 * 1024;
/** A slice is cut before an ESC that is as near to its end: most likely it ends between sequences then. */
const SHORT_SEQUENCE = 64;
const ESC = 0x1b;
/** Read at once where there is much, so that a flood can be skimmed. */
const FLOOD_BYTES = 1024 * 1024;

export class Renderer implements Disposable {
  readonly emulator: Emulator;
  readonly #source: ScreenSource;
  /** Of a sequence or character that has begun and not ended, from a slice that begins before it; null where none is known of. */
  #scanner: SequenceScanner | null = null;
  #resizes: Resize[];
  #cursor: number;
  #emulated = 0;
  /** Read, and not yet acted on. */
  #ahead: Uint8Array = new Uint8Array(0);

  constructor({ source, emulator, resizes, keyframe }: RendererOptions) {
    this.#source = source;
    this.emulator = emulator;
    this.#cursor = keyframe?.cursor ?? 0;
    // Those at the cursor itself too: a replay is of the screen before them.
    this.#resizes = resizes.filter(({ cursor }) => cursor >= this.#cursor);
    if (keyframe !== null) {
      this.emulator.resize(keyframe.cols, keyframe.rows);
      this.emulator.write(keyframe.replay);
    }
  }

  get cursor(): number {
    return this.#cursor;
  }

  /** How many bytes the emulator was given: fewer than were passed where lines only scrolled by. */
  get emulated(): number {
    return this.#emulated;
  }

  /** From the cursor of everything that was produced so far on. */
  resized(resize: Resize): void {
    this.#resizes.push(resize);
  }

  /** True when it has come to `limit`, or to the end of what there is; false when the time is over before. */
  advance(limit: number, budgetMs: number): boolean {
    const until = performance.now() + budgetMs;
    for (;;) {
      this.#applyResizes();
      if (this.#cursor >= limit || !this.#step(limit)) return true;
      if (performance.now() > until) return false;
    }
  }

  /** Where a sequence that has begun begins, or else the cursor: a stream may be cut there. */
  get boundary(): number {
    return this.#scanner?.boundary ?? this.#cursor;
  }

  /** The screen as it is, for a fresh terminal of its size. */
  replay(scrollback: number): Keyframe {
    const { cols, rows } = this.emulator;
    return { cursor: this.boundary, cols, rows, replay: this.emulator.replay({ scrollback, unfinished: false }) };
  }

  [Symbol.dispose](): void {
    this.emulator[Symbol.dispose]();
  }

  #applyResizes(): void {
    for (let next = this.#resizes[0]; next !== undefined && next.cursor <= this.#cursor; next = this.#resizes[0]) {
      this.emulator.resize(next.cols, next.rows);
      this.#resizes.shift();
    }
  }

  /** Some bytes; false where there are none. */
  #step(limit: number): boolean {
    const end = Math.min(limit, this.#resizes[0]?.cursor ?? Number.POSITIVE_INFINITY);
    if (this.#ahead.length === 0 && !this.#read(end)) return false;
    const room = Math.min(this.#ahead.length, end - this.#cursor);
    if (room >= FLOOD_BYTES / 2 && this.#skipScrolledLines(this.#ahead.subarray(0, room))) return true;
    this.#take(room > SLICE_BYTES ? endOfSlice(this.#ahead) : room);
    return true;
  }

  #read(end: number): boolean {
    const piece = this.#source.next(this.#cursor, Math.min(FLOOD_BYTES, end - this.#cursor));
    if (piece === null) return false;
    if (piece.cursor > this.#cursor) {
      // Nobody knows what stood in the gap; a sequence that it cut ends nowhere.
      this.#cursor = Math.min(piece.cursor, end);
      this.#scanner = null;
      if (this.#cursor < piece.cursor) return true;
    }
    this.#ahead = piece.bytes;
    return true;
  }

  #take(length: number): void {
    const bytes = this.#ahead.subarray(0, length);
    this.#ahead = this.#ahead.subarray(length);
    this.emulator.write(bytes);
    this.#emulated += length;
    if (this.emulator.isGround) this.#scanner = null;
    else {
      this.#scanner ??= new SequenceScanner({ sequence() {} }, { keep: 0 });
      this.#scanner.push(this.#cursor, bytes);
    }
    this.#cursor += length;
  }

  /** Only between sequences, and where lines scroll through the whole screen. */
  #skipScrolledLines(bytes: Uint8Array): boolean {
    if (!this.emulator.isGround || this.emulator.hasMargins) return false;
    const { rows, scrollback } = this.emulator;
    // Once down to the last row, and then through the screen and all that is kept above it.
    const pieces = skipScrolledLines(bytes, 2 * rows + scrollback + 1);
    const kept = pieces?.pop();
    if (pieces === null || kept === undefined) return false;
    for (const piece of pieces) this.emulator.write(piece);
    const skipped = bytes.length - kept.length;
    this.#ahead = this.#ahead.subarray(skipped);
    this.#cursor += skipped;
    this.#scanner = null;
    return true;
  }
}

function endOfSlice(bytes: Uint8Array): number {
  const escape = bytes.lastIndexOf(ESC, SLICE_BYTES - 1);
  return escape > SLICE_BYTES - SHORT_SEQUENCE ? escape : SLICE_BYTES;
}

export interface Resize {
  /** What was printed from here on was printed on a screen of that size. */
  cursor: number;
  cols: number;
  rows: number;
}
