/** The text of a transcript, line by line, forwards and backwards from any cursor. */
import type { Channel } from "../../protocol/types/session.ts";
import { textOfRawLine } from "../../terminal/text/line-text.ts";
import { hasParts, LineParts } from "./line-parts.ts";
import { bytesOf } from "./raw-line-walk.ts";
import { type RawLine, RawLines, type RawLinesOptions } from "./raw-lines.ts";

/**
 * Lines are in the order of their ends. What ends past a cursor is what comes after it, so the end of the last line that was read is the cursor
 * to go on from. Where several end at the same cursor (channels that were cut together), they come and go together.
 */
export interface TextLine {
  /** Null: no output, but a place where some was not kept. */
  channel: Channel | null;
  start: number;
  end: number;
  text: string;
  /** Of several that were one raw line, and end at the same cursor: which of them. */
  row?: number;
  /** Of a long one whose bytes have cursors that tell them apart from all others. */
  parts?: LineParts;
}

export interface TextLinesOptions extends RawLinesOptions {
  /** Of a long line that goes through one of these cursors, what lies between them. A short one is told from its beginning on, wherever the first of them is. */
  within?: { from: number; to: number };
}

/** Of text. A prompt that was read before it was answered is told again as a whole, which reads better; a page of the least size holds a line of this one. */
export const SHORT_LINE = 160;
const FIRST_WINDOW = 2 * 1024;
const GROWTH = 4;
const LAST_WINDOW = 1024 * 1024;

export class TextLines {
  readonly #raw: RawLines;
  readonly #within: { from: number; to: number };
  readonly #hasOneChannel: boolean;

  constructor({ within = { from: 0, to: Number.POSITIVE_INFINITY }, ...options }: TextLinesOptions) {
    this.#raw = new RawLines(options);
    this.#within = within;
    this.#hasOneChannel = options.channel !== null;
  }

  get end(): number {
    return this.#raw.end;
  }

  /** Those that end in (from, to], ascending, some at a time. */
  *between(from: number, to: number): Generator<TextLine[], void> {
    for (const batch of this.#raw.between(from, to)) {
      const lines: TextLine[] = [];
      for (const raw of batch) {
        if (raw.start >= to && raw.end > to) continue; // read along, and not wanted
        const all = this.#textOf(raw);
        for (const whole of all) {
          const line = all.length === 1 ? this.#clipped(whole, raw) : whole;
          if (line !== null && line.end > from && line.end <= to) lines.push(line);
        }
      }
      // What moved to other rows ends before another that was cut with it, and came with it.
      yield lines.some(({ end }, i) => end < (lines[i - 1]?.end ?? 0))
        ? lines.toSorted((a, b) => a.end - b.end)
        : lines;
    }
  }

  /** The same, the last ones first: each batch ascends, and lies before the one that came before it. */
  *backwards(from: number, to: number, firstWindow = FIRST_WINDOW): Generator<TextLine[], void> {
    let window = firstWindow;
    for (let until = Math.min(to, this.end); until > from; ) {
      const start = Math.max(from, until - window);
      const batch = [...this.between(start, until)].flat();
      yield batch;
      window = batch.length === 0 ? GROWTH * window : Math.min(GROWTH * window, LAST_WINDOW);
      until = start;
    }
  }

  /** Of a raw line: several where it moved to other rows. */
  #textOf({ channel, start, end, pieces }: RawLine): TextLine[] {
    if (channel === null)
      return [{ channel, start, end, text: `… what was printed before cursor ${end} was not kept …` }];
    const { block } = this.#raw;
    const bytes = bytesOf(pieces);
    const lines = textOfRawLine(bytes);
    const [only] = lines;
    const hasOwnCursors = end - start === bytes.length;
    if (only !== undefined && lines.length === 1) {
      const isDivisible = isLong(only.text) && (hasOwnCursors || this.#hasOneChannel) && hasParts(bytes);
      const line = { channel, start, end, text: only.text };
      return [isDivisible ? { ...line, parts: new LineParts(pieces, line) } : line];
    }
    // Only where nothing else ends meanwhile can they be told apart by their cursors.
    const isAlone = hasOwnCursors && Math.floor(start / block) === Math.floor((end - 1) / block);
    let from = start;
    return lines.map(({ text, end: at }, number) => {
      const own = { channel, start: from, end: isAlone && number < lines.length - 1 ? start + at : end, text };
      from = isAlone ? own.end : start;
      return isAlone ? own : { ...own, row: number };
    });
  }

  #clipped(line: TextLine, { channel, start, end, pieces }: RawLine): TextLine | null {
    const { from, to } = this.#within;
    if (channel === null || (line.start >= from && line.end <= to)) return line;
    // Of any line that nothing else was printed into, what it showed when the range ends: a command's output need not end with a line.
    const isCut = start < to && to < end && end - start === lengthOf(pieces);
    const parts = line.parts ?? (isCut ? new LineParts(pieces, line) : null);
    if (parts === null) return line;
    const part = parts.between(from, to);
    if (part === null || (part.text === "" && line.parts === undefined)) return null;
    return { channel, ...part, ...(line.parts === undefined ? {} : { parts: new LineParts(pieces, part) }) };
  }
}

function isLong(text: string): boolean {
  return text.length > SHORT_LINE || (text.length > SHORT_LINE / 3 && Buffer.byteLength(text) > SHORT_LINE);
}

function lengthOf(pieces: RawLine["pieces"]): number {
  return pieces.reduce((sum, { bytes }) => sum + bytes.length, 0);
}
