/**
 * Renders a session's screen from its transcript: a cursor of its own, advanced in bounded time
 * slices. What the emulator shows depends only on the bytes and resizes before the cursor, so a
 * moment always looks the same.
 */
import type { Emulator } from "../terminal/emulator/emulator.ts";
import { SequenceScanner } from "../terminal/parser/sequence-scanner.ts";
import type { Keyframe } from "../transcript/write/keyframes.ts";
import { skipScrolledLines } from "./fast-scroll.ts";

/** Terminal output by cursor. */
export interface ScreenSource {
  /**
   * The first bytes at or after the cursor; null when there are none yet. Bytes in between are
   * missing.
   */
  next(cursor: number, maxBytes: number): { cursor: number; bytes: Uint8Array } | null;
}

export interface RendererOptions {
  source: ScreenSource;
  /** Empty, at the session's first size. */
  emulator: Emulator;
  /** In ascending cursor order. */
  resizes: readonly Resize[];
  /** Replaces everything before its cursor. */
  keyframe: Keyframe | null;
}

/** Rendering more than this is reported as progress at once. */
export const LONG_BYTES = 4 * 1024 * 1024;
/** Takes the emulator less than a millisecond. */
const SLICE_BYTES = 16 * 1024;
/**
 * An ESC this near to a slice's end is moved to the next slice, which then most likely begins
 * between sequences.
 */
const SHORT_SEQUENCE = 64;
const ESC = 0x1b;
/** Bytes per read, large enough to skip the scrolled lines of a flood. */
const FLOOD_BYTES = 1024 * 1024;

export class Renderer implements Disposable {
  readonly emulator: Emulator;
  readonly #source: ScreenSource;
  /** Follows the unfinished sequence or character; null when there is none. */
  #scanner: SequenceScanner | null = null;
  #resizes: Resize[];
  #cursor: number;
  #emulated = 0;
  /** Bytes read and not yet emulated. */
  #ahead: Uint8Array = new Uint8Array(0);

  constructor({ source, emulator, resizes, keyframe }: RendererOptions) {
    this.#source = source;
    this.emulator = emulator;
    this.#cursor = keyframe?.cursor ?? 0;
    // Including those at the cursor: a keyframe shows the screen before them.
    this.#resizes = resizes.filter(({ cursor }) => cursor >= this.#cursor);
    if (keyframe !== null) {
      this.emulator.resize(keyframe.cols, keyframe.rows);
      this.emulator.write(keyframe.replay);
    }
  }

  get cursor(): number {
    return this.#cursor;
  }

  /** Bytes written to the emulator: fewer than were passed where lines only scrolled by. */
  get emulated(): number {
    return this.#emulated;
  }

  /** Adds a resize at or after the end of the output so far. */
  resized(resize: Resize): void {
    this.#resizes.push(resize);
  }

  /** True at `limit` or at the end of the output; false when the budget ran out first. */
  advance(limit: number, budgetMs: number): boolean {
    const until = performance.now() + budgetMs;
    for (;;) {
      this.#applyResizes();
      if (this.#cursor >= limit || !this.#step(limit)) return true;
      if (performance.now() > until) return false;
    }
  }

  /** Start of the unfinished sequence, or the cursor: the stream may be cut there. */
  get boundary(): number {
    return this.#scanner?.boundary ?? this.#cursor;
  }

  /** A keyframe at `boundary`. */
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

  /** Emulates some bytes; false when there are none. */
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
      // A sequence that the gap cut has no end.
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

  /** Skips lines that scroll away. Possible only between sequences and without scroll margins. */
  #skipScrolledLines(bytes: Uint8Array): boolean {
    if (!this.emulator.isGround || this.emulator.hasMargins) return false;
    const { rows, scrollback } = this.emulator;
    // Enough lines to move to the last row, and then to fill the screen and the scrollback.
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
  /** Output from this cursor on was printed on a screen of this size. */
  cursor: number;
  cols: number;
  rows: number;
}
