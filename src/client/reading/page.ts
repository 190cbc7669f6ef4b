/** A page of text: as many lines as fit, and what does not fit named, with the cursor to get it. */
import type { TextLine, TextLines } from "../../rendering/text-lines.ts";
import { Repeats, toldAsItIs, type Told } from "../../terminal/repeats.ts";
import { shortened } from "../../terminal/shorten.ts";

export interface PageLimits {
  /** Of UTF-8, with the line feeds. */
  bytes: number;
  /** Of one line, in characters. */
  line: number;
  lines: number;
  /** A page costs no more than this, however many lines are alike. */
  scanned: number;
}

export interface PageStyle {
  collapse: boolean;
  /** Before each line its cursor. */
  cursors: boolean;
}

export interface Page {
  told: Told<TextLine>[];
  /** Everything that ends in (from, to] was told. */
  from: number;
  to: number;
  /** Of UTF-8. */
  bytes: number;
}

/** Called between two parts: lets others have their turn, and throws when nobody wants to know any more. */
export type Breath = () => Promise<void>;

/** What a note on what is left out may take. */
export const NOTE_BYTES = 96;
const MAX_LINE = 2000;
/** Alike or not. */
const MOST_LINES = 100_000;
/** Of the characters of UTF-16, the most that one may take. */
const MOST_BYTES = 3;

/** How long a line may be on a page of so many bytes. */
export function longestLine(bytes: number): number {
  return Math.max(16, Math.min(MAX_LINE, Math.floor((bytes - 2 * NOTE_BYTES) / (2 * MOST_BYTES))));
}

export class Fitting {
  readonly told: Told<TextLine>[] = [];
  bytes = 0;
  readonly #limits: PageLimits;
  readonly #style: PageStyle;

  constructor(limits: PageLimits, style: PageStyle) {
    this.#limits = limits;
    this.#style = style;
  }

  /** False when it does not fit. What ends where the last one did cannot be told apart from it, so it fits. */
  add(line: Told<TextLine>, sign = ":"): boolean {
    const short = shortened(line.text, this.#limits.line, line.start);
    const text = this.#style.cursors ? `${line.start}${sign} ${short}` : short;
    const bytes = Buffer.byteLength(text) + 1;
    const last = this.told.at(-1);
    if (this.bytes + bytes > this.#limits.bytes && last !== undefined && last.end !== line.end) return false;
    this.told.push({ ...line, text });
    this.bytes += bytes;
    return true;
  }

  /** The first that does not fit; null where all do. */
  addAll(lines: readonly Told<TextLine>[]): Told<TextLine> | null {
    return lines.find((line) => !this.add(line)) ?? null;
  }
}

interface Range {
  from: number;
  to: number;
}

interface PageOptions {
  limits: PageLimits;
  style: PageStyle;
  breath: Breath;
}

/** From the beginning of the range on. */
export async function firstPage(lines: TextLines, range: Range, options: PageOptions): Promise<Page> {
  const { fitting, left } = await fill(lines.between(range.from, range.to), "forwards", range.from, options);
  const { told, bytes } = fitting;
  return { told, from: range.from, to: left === null ? range.to : (told.at(-1)?.end ?? range.from), bytes };
}

/** Its end. */
export async function lastPage(lines: TextLines, range: Range, options: PageOptions): Promise<Page> {
  const { fitting, left } = await fill(lines.backwards(range.from, range.to), "backwards", range.to, options);
  const told = fitting.told.toReversed();
  return { told, from: left === null ? range.from : left.end, to: range.to, bytes: fitting.bytes };
}

/** With the first thing that was left out; null where everything fits. */
async function fill(
  batches: Iterable<TextLine[]>,
  direction: "forwards" | "backwards",
  origin: number,
  { limits, style, breath }: PageOptions,
): Promise<{ fitting: Fitting; left: { end: number } | null }> {
  const fitting = new Fitting(limits, style);
  const repeats = new Repeats<TextLine>(direction);
  let count = 0;
  let before = -1;
  for (const batch of batches) {
    await breath();
    for (const line of direction === "forwards" ? batch : batch.toReversed()) {
      const isTooMuch = count >= Math.min(limits.lines, MOST_LINES) || Math.abs(line.end - origin) > limits.scanned;
      if (isTooMuch && line.end !== before) return { fitting, left: fitting.addAll(repeats.end()) ?? line };
      count++;
      before = line.end;
      const left = fitting.addAll(style.collapse ? repeats.push(line) : [toldAsItIs(line)]);
      if (left !== null) return { fitting, left };
    }
  }
  return { fitting, left: fitting.addAll(repeats.end()) };
}
