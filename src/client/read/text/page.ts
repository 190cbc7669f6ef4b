/**
 * Fills a page of text with as many lines as fit, and reports the cursor of the rest. A line longer
 * than any page is cut where the page ends.
 */
import { SHORT_LINE, type TextLine, type TextLines } from "../../../rendering/grep/text-lines.ts";
import { RepeatCollapser, uncollapsed, type CollapsedLine } from "../../../terminal/text/collapse-repeats.ts";
import { shortened } from "../../../terminal/text/shorten-line.ts";

export interface PageLimits {
  /** UTF-8 bytes, with line feeds. */
  bytes: number;
  /** The first line may take this much, even if it is more than `bytes`. */
  first: number;
  /** The room of the largest page: longer lines are cut. */
  largest: number;
  lines: number;
  /** Bounds the cost of a page with many equal lines. */
  scanned: number;
}

export interface PageStyle {
  collapse: boolean;
  cursors: boolean;
}

export interface PageLine extends CollapsedLine<TextLine> {
  /**
   * Set if only a part of the line is shown: whether the part after it ("behind") or before it is
   * missing.
   */
  isCut?: "before" | "behind";
  whole?: { start: number; end: number };
  /** Its middle is left out. */
  isShortened?: boolean;
}

export interface Page {
  lines: PageLine[];
  /** The page covers all lines that end in (from, to]. */
  from: number;
  to: number;
  /** UTF-8 bytes. */
  bytes: number;
}

/** Called between two parts of the work: lets other work run, and throws after a cancel. */
export type YieldToLoop = () => Promise<void>;

export const NOTE_BYTES = 96;
/** The minimum room: a short line with its cursor always fits. */
export const MIN_ROOM = SHORT_LINE + 24;
/** A shorter part of a line is not shown. */
const MIN_PART = 32;
/** Counts each of several equal lines. */
const MAX_LINES = 100_000;
/** The most that one UTF-16 unit takes. */
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

  /**
   * False if the line does not fit. A line with the same end as the last always fits, because a
   * cursor cannot separate them.
   */
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

  /**
   * Leaves out the middle of a line that cannot be cut into parts, so that the next page begins
   * past it.
   */
  #addShortened(line: CollapsedLine<TextLine>, sign: string): boolean {
    const room = Math.max(this.#limits.bytes, this.#limits.first) - NOTE_BYTES - line.mark.length;
    if (line.line.parts !== undefined || room < MIN_PART) return false;
    const text = shortened(line.line.text, Math.max(16, Math.floor(room / MAX_UTF8_BYTES)), line.start) + line.mark;
    this.#put({ ...line, text: this.#shown(line, text, sign), isShortened: text !== line.text });
    return true;
  }

  /**
   * Adds the start of a line that did not fit (backwards: its end). Null if another page has room
   * for the whole line, or this one has none.
   */
  addPart(collapsed: CollapsedLine<TextLine>, direction: Direction): PageLine | null {
    const { largest, bytes, first } = this.#limits;
    const isEmpty = this.lines.length === 0;
    if (!isEmpty && Buffer.byteLength(collapsed.text) < largest) return null;
    const line = direction === "forwards" ? collapsed.first : collapsed.line;
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

  /** The first line that does not fit; null if all do. */
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
  const { filler, left } = await fill(lines.between(range.from, range.to), "forwards", range.from, options);
  const { lines: kept, bytes } = filler;
  return { lines: kept, from: range.from, to: left === null ? range.to : (kept.at(-1)?.end ?? range.from), bytes };
}

export async function lastPage(lines: TextLines, range: Range, options: PageOptions): Promise<Page> {
  const { filler, left } = await fill(lines.backwards(range.from, range.to), "backwards", range.to, options);
  const kept = filler.lines.toReversed();
  return { lines: kept, from: left === null ? range.from : left.end, to: range.to, bytes: filler.bytes };
}

/** `left` is the first thing left out; null if everything fits. */
async function fill(
  batches: Iterable<TextLine[]>,
  direction: Direction,
  origin: number,
  { limits, style, yieldToLoop }: PageOptions,
): Promise<{ filler: PageFiller; left: { end: number } | null }> {
  const filler = new PageFiller(limits, style);
  const repeats = new RepeatCollapser<TextLine>(direction);
  const cut = (line: CollapsedLine<TextLine> | null): { end: number } | null => {
    const part = line === null ? null : filler.addPart(line, direction);
    return part === null ? line : { end: part.start };
  };
  let count = 0;
  let before = -1;
  for (const batch of batches) {
    await yieldToLoop();
    for (const line of direction === "forwards" ? batch : batch.toReversed()) {
      const isOverLimit = count >= Math.min(limits.lines, MAX_LINES) || Math.abs(line.end - origin) > limits.scanned;
      if (isOverLimit && line.end !== before) return { filler, left: cut(filler.addAll(repeats.end())) ?? line };
      count++;
      before = line.end;
      const left = filler.addAll(style.collapse ? repeats.push(line) : [uncollapsed(line)]);
      if (left !== null) return { filler, left: cut(left) };
    }
  }
  return { filler, left: cut(filler.addAll(repeats.end())) };
}
