/** Reads the text of a transcript line by line, forwards and backwards from any cursor. */
import type { Channel } from "../../protocol/types/session.ts";
import { textOfRawLine } from "../../terminal/text/line-text.ts";
import { hasParts, LineParts } from "./line-parts.ts";
import { lineBytes } from "./raw-line-walk.ts";
import { type RawLine, RawLines, type RawLinesOptions } from "./raw-lines.ts";

/**
 * Lines are in order of their ends: the end of the last line read is the cursor to go on from.
 * Lines that end at the same cursor (channels cut together) stay together.
 */
export interface TextLine {
  /** Null: marks missing output. */
  channel: Channel | null;
  start: number;
  end: number;
  text: string;
  /** Index among several lines that were one raw line and end at the same cursor. */
  row?: number;
  /** Parts of a long line; only when its bytes have cursors of their own. */
  parts?: LineParts;
}

export interface TextLinesOptions extends RawLinesOptions {
  /** Range that long lines are clipped to. Short lines that cross `from` stay whole. */
  within?: { from: number; to: number };
}

/**
 * Bytes of text up to which a line counts as short. A prompt that was read before its answer is
 * returned again whole, which reads better; the smallest page fits a line of this length.
 */
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

  /** Batches of lines that end in (from, to], ascending. */
  *between(from: number, to: number): Generator<TextLine[], void> {
    for (const batch of this.#raw.between(from, to)) {
      const lines: TextLine[] = [];
      for (const raw of batch) {
        if (raw.start >= to && raw.end > to) continue; // read along with the others
        const all = this.#textOf(raw);
        for (const whole of all) {
          const line = all.length === 1 ? this.#clipped(whole, raw) : whole;
          if (line !== null && line.end > from && line.end <= to) lines.push(line);
        }
      }
      // A line that moved to other rows may end before another of the same batch.
      yield lines.some(({ end }, i) => end < (lines[i - 1]?.end ?? 0))
        ? lines.toSorted((a, b) => a.end - b.end)
        : lines;
    }
  }

  /** Batches from the end backwards; each batch ascends. */
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

  /** Lines of a raw line: several where the program moved to other rows. */
  #textOf({ channel, start, end, pieces }: RawLine): TextLine[] {
    if (channel === null) return [{ channel, start, end, text: `… output before cursor ${end} was not kept …` }];
    const { block } = this.#raw;
    const bytes = lineBytes(pieces);
    const lines = textOfRawLine(bytes);
    const [only] = lines;
    const hasOwnCursors = end - start === bytes.length;
    if (only !== undefined && lines.length === 1) {
      const isDivisible = isLong(only.text) && (hasOwnCursors || this.#hasOneChannel) && hasParts(bytes);
      const line = { channel, start, end, text: only.text };
      return [isDivisible ? { ...line, parts: new LineParts(pieces, line) } : line];
    }
    // Cursors tell the lines apart only when nothing else ends in between.
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
    // A line without other output in between is clipped to what it showed at the end of the range:
    // a command's output need not end with a newline.
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
