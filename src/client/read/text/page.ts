/**
 * A page of text: as many lines as fit, and what does not fit named, with the cursor to get it. A line that would not fit on any page is cut where the page ends, in the
 * middle of the line: what is left out begins, or ends, there.
 */
import { SHORT_LINE, type TextLine, type TextLines } from "../../../rendering/grep/text-lines.ts";
import { RepeatCollapser, uncollapsed, type CollapsedLine } from "../../../terminal/text/collapse-repeats.ts";
import { shortened } from "../../../terminal/text/shorten-line.ts";

export interface PageLimits {
  /** Of UTF-8, with the line feeds. */
  bytes: number;
  /** What the first line may take, be it more than that. */
  first: number;
  /** The most that any page has room for: a line of more is cut. */
  most: number;
  lines: number;
  /** A page costs no more than this, however many lines are alike. */
  scanned: number;
}

export interface PageStyle {
  collapse: boolean;
  cursors: boolean;
}

export interface PageLine extends CollapsedLine<TextLine> {
  /** Of a line that goes on before, or behind, what is told of it. */
  isCut?: "before" | "behind";
  whole?: { start: number; end: number };
  /** Its middle is missing. */
  isShortened?: boolean;
}

export interface Page {
  lines: PageLine[];
  /** Everything that ends in (from, to] was told. */
  from: number;
  to: number;
  /** Of UTF-8. */
  bytes: number;
}

/** Called between two parts: lets others have their turn, and throws when nobody wants to know any more. */
export type YieldToLoop = () => Promise<void>;

export const NOTE_BYTES = 96;
/** A short line, with its cursor, has this much room, whatever is asked for. */
export const MIN_ROOM = SHORT_LINE + 24;
/** Less of a line is not worth a part. */
const MIN_PART = 32;
/** Alike or not. */
const MAX_LINES = 100_000;
/** Of the characters of UTF-16, the most that one may take. */
const MAX_UTF8_BYTES = 3;

type Direction = "forwards" | "backwards";

export class PageFiller {
  readonly lines: PageLine[] = [];
  bytes = 0;
  readonly #limits: PageLimits;
  readonly #style: PageStyle;

  constructor(limits: PageLimits, style: PageStyle) {
    this.#limits = limits;
    this.#style = style;
  }

  /** False when it does not fit. What ends where the last one did cannot be told apart from it, so it fits. */
  add(line: CollapsedLine<TextLine>, sign = ":"): boolean {
    const text = this.#shown(line, line.text, sign);
    const bytes = Buffer.byteLength(text) + 1;
    const last = this.lines.at(-1);
    const room = last === undefined ? Math.max(this.#limits.bytes, this.#limits.first) : this.#limits.bytes;
    if (this.bytes + bytes > room && last?.end !== line.end)
      return last === undefined && this.#addShortened(line, sign);
    this.#put({ ...line, text });
    return true;
  }

  /** Where the parts of a line have no cursors of their own, its middle is left out, so that whoever goes on comes past it. */
  #addShortened(line: CollapsedLine<TextLine>, sign: string): boolean {
    const room = Math.max(this.#limits.bytes, this.#limits.first) - NOTE_BYTES - line.mark.length;
    if (line.line.parts !== undefined || room < MIN_PART) return false;
    const text = shortened(line.line.text, Math.max(16, Math.floor(room / MAX_UTF8_BYTES)), line.start) + line.mark;
    this.#put({ ...line, text: this.#shown(line, text, sign), isShortened: text !== line.text });
    return true;
  }

  /** Of a line that did not fit, what does: its beginning, or backwards its end. Null where another page has room for all of it, or this one has none. */
  addPart(told: CollapsedLine<TextLine>, direction: Direction): PageLine | null {
    const { most, bytes, first } = this.#limits;
    const isEmpty = this.lines.length === 0;
    if (!isEmpty && Buffer.byteLength(told.text) < most) return null;
    const line = direction === "forwards" ? told.first : told.line;
    const prefix = this.#shown(line, "", ":").length + 1;
    const room = (isEmpty ? Math.max(bytes, Math.min(first, MIN_ROOM)) : bytes) - this.bytes - prefix;
    if (room < MIN_PART) return null;
    const part = direction === "forwards" ? line.parts?.beginning(room) : line.parts?.ending(room);
    if (part === null || part === undefined) return null;
    const isCut = direction === "forwards" ? "behind" : "before";
    return this.#put({
      ...uncollapsed({ ...line, ...part }),
      text: this.#shown(part, part.text, ":"),
      isCut,
      whole: line,
    });
  }

  #put(line: PageLine): PageLine {
    this.lines.push(line);
    this.bytes += Buffer.byteLength(line.text) + 1;
    return line;
  }

  #shown({ start }: { start: number }, text: string, sign: string): string {
    return this.#style.cursors ? `${start}${sign} ${text}` : text;
  }

  /** The first that does not fit; null where all do. */
  addAll(lines: readonly CollapsedLine<TextLine>[]): CollapsedLine<TextLine> | null {
    return lines.find((line) => !this.add(line)) ?? null;
  }
}

interface Range {
  from: number;
  to: number;
}

export interface PageOptions {
  limits: PageLimits;
  style: PageStyle;
  yieldToLoop: YieldToLoop;
}

export async function firstPage(lines: TextLines, range: Range, options: PageOptions): Promise<Page> {
  const { fitting, left } = await fill(lines.between(range.from, range.to), "forwards", range.from, options);
  const { lines: kept, bytes } = fitting;
  return { lines: kept, from: range.from, to: left === null ? range.to : (kept.at(-1)?.end ?? range.from), bytes };
}

export async function lastPage(lines: TextLines, range: Range, options: PageOptions): Promise<Page> {
  const { fitting, left } = await fill(lines.backwards(range.from, range.to), "backwards", range.to, options);
  const kept = fitting.lines.toReversed();
  return { lines: kept, from: left === null ? range.from : left.end, to: range.to, bytes: fitting.bytes };
}

/** With the first thing that was left out; null where everything fits. */
async function fill(
  batches: Iterable<TextLine[]>,
  direction: Direction,
  origin: number,
  { limits, style, yieldToLoop }: PageOptions,
): Promise<{ fitting: PageFiller; left: { end: number } | null }> {
  const fitting = new PageFiller(limits, style);
  const repeats = new RepeatCollapser<TextLine>(direction);
  const cut = (line: CollapsedLine<TextLine> | null): { end: number } | null => {
    const part = line === null ? null : fitting.addPart(line, direction);
    return part === null ? line : { end: part.start };
  };
  let count = 0;
  let before = -1;
  for (const batch of batches) {
    await yieldToLoop();
    for (const line of direction === "forwards" ? batch : batch.toReversed()) {
      const isOverLimit = count >= Math.min(limits.lines, MAX_LINES) || Math.abs(line.end - origin) > limits.scanned;
      if (isOverLimit && line.end !== before) return { fitting, left: cut(fitting.addAll(repeats.end())) ?? line };
      count++;
      before = line.end;
      const left = fitting.addAll(style.collapse ? repeats.push(line) : [uncollapsed(line)]);
      if (left !== null) return { fitting, left: cut(left) };
    }
  }
  return { fitting, left: cut(fitting.addAll(repeats.end())) };
}
