/**
 * Reads a session's output as pages of text for agents. Each page reports the cursor of the next,
 * and what it omits.
 */
import { HoltError } from "../../../protocol/types/errors.ts";
import { type Cut, MIN_TEXT_BYTES } from "../../../protocol/types/read-options.ts";
import { type Channel, isFinal } from "../../../protocol/types/session.ts";
import { BYTES_PER_TOKEN, estimatedTokens } from "../../../protocol/types/tokens.ts";
import { TextLines } from "../../../rendering/grep/text-lines.ts";
import type { PatternSpec } from "../../../terminal/text/line-pattern.ts";
import { uncollapsed } from "../../../terminal/text/collapse-repeats.ts";
import type { GrepLine } from "../../../rendering/grep/grep.ts";
import type { TranscriptReader } from "../../../transcript/read/reader.ts";
import type { LocalSessions } from "../../sessions/local-sessions.ts";
import { aroundMatch } from "./around-match.ts";
import { joinLines, omittedInLine, omissionNote, type ShownLine } from "./page-text.ts";
import { loopYielder } from "./yield-to-loop.ts";
import type { GrepOptions, GrepResult } from "./grep-page.ts";
import {
  type YieldToLoop,
  firstPage,
  PageFiller,
  lastPage,
  MIN_ROOM,
  NOTE_BYTES,
  type Page,
  type PageLimits,
  type PageOptions,
  type PageStyle,
} from "./page.ts";

export interface TextRequest {
  channel: Channel | null;
  /** Lines that end in (cursor, until], or the part of a long line in that range. */
  cursor: number;
  until: number | null;
  /** Limits the range to its first or last bytes. */
  headBytes: number | null;
  tailBytes: number | null;
  /** Limits the lines in the range to the first or last ones. */
  head: number | null;
  tail: number | null;
  cut: Cut;
  maxBytes: number;
  maxTokens: number | null;
  style: PageStyle;
  /** End the text with a line feed if one was printed there. */
  finalNewline: boolean;
  grep: { spec: PatternSpec; before: number; after: number; maxMatches: number } | null;
}

export interface TextRead {
  text: string;
  next_cursor: number;
  eof: boolean;
  /** Some output was not kept. */
  truncated: boolean;
  /**
   * Requested text that did not fit: lines that end in (cursor, until]. `lines` is null if counting
   * would take long.
   */
  omitted: { lines: number | null; bytes: number; cursor: number; until: number } | null;
  estimated_tokens: number;
  /** The number of printed lines in the text; equal lines shown once count each. */
  lines: number;
  /** Start cursors of matching lines. */
  matched: number[] | null;
  /** Start cursors of lines that could not be matched. */
  unjudged: number[] | null;
}

/** The bytes read for a page, and those read to count what it omits. */
const MAX_SCANNED = 4 * 1024 * 1024;
const MAX_COUNTED = 256 * 1024;
const HEAD_SHARE = 1 / 3;
/** The size of a cursor before a line. */
const CURSOR_BYTES = 24;
const LF = 10;

export type GrepRunner = (
  reader: TranscriptReader,
  options: GrepOptions,
  yieldToLoop: YieldToLoop,
) => Promise<GrepResult>;

export interface ReadTextOptions {
  sessions: LocalSessions;
  id: string;
  signal: AbortSignal;
  grep: GrepRunner;
}

export async function readText(options: ReadTextOptions, request: TextRequest): Promise<TextRead> {
  using reader = options.sessions.reader(options.id);
  const { state, output_bytes } = reader.session();
  const end = isFinal(state) ? Math.max(output_bytes, reader.end()) : reader.end();
  const reading = new PageReader(reader, request, end, loopYielder(options.signal));
  const read = await (request.grep === null ? reading.page() : reading.grepped(options.grep, request.grep));
  const isAtEnd = read.next_cursor >= end;
  const isInGap = isAtEnd && reader.read({ cursor: end, maxBytes: 1 }).truncated;
  return { ...read, eof: isAtEnd && isFinal(state), truncated: read.truncated || isInGap };
}

type TextPage = Omit<TextRead, "eof">;
type Omitted = NonNullable<TextRead["omitted"]>;

class PageReader {
  readonly #reader: TranscriptReader;
  readonly #request: TextRequest;
  readonly #end: number;
  readonly #from: number;
  readonly #to: number;
  readonly #yieldToLoop: YieldToLoop;
  readonly #bytes: number;

  constructor(reader: TranscriptReader, request: TextRequest, end: number, yieldToLoop: YieldToLoop) {
    this.#reader = reader;
    this.#request = request;
    this.#end = end;
    const { from, to } = rangeOf(request, end);
    this.#from = from;
    this.#to = to;
    this.#yieldToLoop = yieldToLoop;
    const tokens = request.maxTokens === null ? Number.POSITIVE_INFINITY : request.maxTokens * BYTES_PER_TOKEN;
    this.#bytes = Math.min(request.maxBytes, tokens);
  }

  async page(): Promise<TextPage> {
    const { head, tail, cut } = this.#request;
    if (head !== null && tail !== null) return this.#bothEnds(head, tail);
    if (tail !== null) return this.#lastLines(tail);
    if (cut === "start") return this.#lastLines(Number.POSITIVE_INFINITY);
    if (cut === "middle") return this.#bothEnds(head ?? Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);
    const page = await this.#firstPage(this.#options(this.#room, head));
    const isAll = countOf(page) >= (head ?? Number.POSITIVE_INFINITY);
    const until = isAll ? (page.lines.at(-1)?.whole?.end ?? page.to) : this.#to;
    if (page.to >= until) return this.#read([page], null, page.to);
    const left = await this.#omission([page, null], page.to, until);
    return "omitted" in left ? this.#read([page, left], null, until) : this.#read([page], left, page.to);
  }

  async grepped(
    grep: GrepRunner,
    { spec, before, after, maxMatches }: NonNullable<TextRequest["grep"]>,
  ): Promise<TextPage> {
    const range = this.#range();
    const { channel, style } = this.#request;
    const options = { spec, before, after, channel, end: this.#end, ...range, widest: range };
    const bounds = { maxMatches, maxBytes: this.#bytes };
    const {
      found,
      resumeCursor: left,
      ...grepped
    } = await grep(this.#reader, { ...options, ...bounds }, this.#yieldToLoop);
    const filler = new PageFiller(this.#limits(this.#room, null), style);
    let next = left ?? range.to;
    let cut: GrepLine | null = null;
    for (const line of found) {
      const sign = line.role === "match" ? ":" : "-";
      if (filler.add(uncollapsed(line), sign)) continue;
      const isTooLong = filler.lines.length === 0 || Buffer.byteLength(line.text) > this.#room;
      const around = isTooLong ? aroundMatch(line, this.#room - filler.bytes - CURSOR_BYTES) : null;
      if (around !== null && filler.add({ ...uncollapsed(line), text: around }, sign)) {
        cut ??= line;
        continue;
      }
      next = filler.lines.at(-1)?.end ?? range.from;
      break;
    }
    const page = { lines: filler.lines, from: range.from, to: next, bytes: filler.bytes };
    const matched = found.filter(({ role, end }) => role === "match" && end <= next).map(({ start }) => start);
    const rest = next < range.to ? { start: next, end: range.to } : cut;
    const omitted =
      rest === null ? null : { lines: null, bytes: rest.end - rest.start, cursor: rest.start, until: rest.end };
    const read = this.#read([page], rest === cut ? null : omitted, next);
    const unjudged = grepped.unjudged.filter((start) => start < next);
    return { ...read, omitted: omitted ?? read.omitted, matched, unjudged };
  }

  async #lastLines(count: number): Promise<TextPage> {
    const page = await lastPage(this.#linesIn(this.#range()), this.#range(), this.#options(this.#room, count));
    const from = countOf(page) >= count ? (page.lines[0]?.whole?.start ?? page.from) : this.#from;
    if (page.from <= from) return this.#read([page], null, this.#to);
    const left = await this.#omission([null, page], from, page.from);
    return "omitted" in left ? this.#read([left, page], null, this.#to) : this.#read([page], left, this.#to);
  }

  async #bothEnds(head: number, tail: number): Promise<TextPage> {
    const room = this.#room;
    const first = await this.#firstPage(this.#options(Math.floor(room * HEAD_SHARE), head));
    if (first.to >= this.#to) return this.#read([first], null, this.#to);
    const rest = { from: first.to, to: this.#to };
    const { limits, ...options } = this.#options(room - first.bytes, tail);
    const last = await lastPage(this.#linesIn(rest), rest, { ...options, limits: { ...limits, first: 0 } });
    const isInLine = first.lines.at(-1)?.isCut !== undefined || last.lines[0]?.isCut !== undefined;
    const isCut = last.from > first.to && (isInLine || (countOf(last) < tail && countOf(first) < head));
    if (!isCut && last.from <= first.to) return this.#read([first, last], null, this.#to);
    const left = await this.#omission([first, last], first.to, last.from);
    if (isCut && "omitted" in left) return this.#read([first, left, last], null, this.#to);
    return this.#read([first, last], "omitted" in left ? left.omitted : left, this.#to);
  }

  #firstPage(options: PageOptions): Promise<Page> {
    return firstPage(this.#linesIn(this.#range()), this.#range(), options);
  }

  #linesIn(within: { from: number; to: number }): TextLines {
    return new TextLines({ source: this.#reader, channel: this.#request.channel, end: this.#end, within });
  }

  /** For lines, without the note on omitted ones. */
  get #room(): number {
    return Math.max(MIN_ROOM, this.#bytes - NOTE_BYTES);
  }

  #range(): { from: number; to: number } {
    return { from: this.#from, to: this.#to };
  }

  #limits(bytes: number, lines: number | null): PageLimits {
    const room = this.#room;
    return { bytes, first: room, largest: room, lines: lines ?? Number.POSITIVE_INFINITY, scanned: MAX_SCANNED };
  }

  #options(bytes: number, lines: number | null): PageOptions {
    return { limits: this.#limits(bytes, lines), style: this.#request.style, yieldToLoop: this.#yieldToLoop };
  }

  /**
   * Describes the text between two pages. If the note would be as long as the text, returns the
   * text.
   */
  async #omission(
    [before, behind]: readonly [Page | null, Page | null],
    cursor: number,
    until: number,
  ): Promise<Omitted | (Page & { omitted: Omitted })> {
    const bytes = until - cursor;
    const isInLine = before?.lines.at(-1)?.isCut !== undefined || behind?.lines[0]?.isCut !== undefined;
    if (bytes > MAX_COUNTED) return { lines: null, bytes, cursor, until };
    const filler = new PageFiller({ ...this.#limits(NOTE_BYTES, null), first: 0 }, this.#request.style);
    let isShort = true;
    let lines = 0;
    for (const batch of this.#linesIn({ from: cursor, to: until }).between(cursor, until)) {
      await this.#yieldToLoop();
      lines += batch.length;
      isShort &&= lines <= NOTE_BYTES && batch.every((line) => filler.add(uncollapsed(line)));
    }
    const omitted = { lines: isInLine ? null : lines, bytes, cursor, until };
    isShort &&= filler.bytes <= Buffer.byteLength(omissionNote(omitted)) + 1;
    return isShort ? { lines: filler.lines, from: cursor, to: until, bytes: filler.bytes, omitted } : omitted;
  }

  /** With two pages, the omission is between them; with one, before or after it. */
  #read(pages: readonly Page[], omitted: TextRead["omitted"], next: number): TextPage {
    const shown: ShownLine[] = pages.flatMap((page) => page.lines);
    const [first] = pages;
    const at = first === undefined || omitted === null ? 0 : omitted.cursor < first.from ? 0 : first.lines.length;
    if (omitted !== null) shown.splice(at, 0, { text: omissionNote(omitted), isNote: true });
    const { text: lines, joints } = joinLines(shown, this.#request.style);
    const text = this.#request.finalNewline && this.#endsLine(shown.at(-1)) ? `${lines}\n` : lines;
    return {
      text,
      next_cursor: next,
      truncated: pages.some((page) => page.lines.some(({ line }) => line.channel === null)),
      omitted: omitted ?? omittedInLine(pages),
      estimated_tokens: estimatedTokens(text),
      lines: pages.reduce((sum, page) => sum + countOf(page), 0) - joints,
      matched: null,
      unjudged: null,
    };
  }

  /** True if the last line of the text ends with a line feed. */
  #endsLine({ isNote, end = 0, line }: Partial<ShownLine> = {}): boolean {
    const channel = line?.channel ?? null;
    if (isNote === true || channel === null) return false;
    const { chunks } = this.#reader.read({ cursor: end - 1, maxBytes: 1, channel });
    return chunks[0]?.bytes[0] === LF;
  }
}

export function rangeOf(
  { cursor, until, headBytes, tailBytes }: Pick<TextRequest, "cursor" | "until" | "headBytes" | "tailBytes">,
  end: number,
): { from: number; to: number } {
  const first = Math.min(cursor, end);
  const far = headBytes === null ? end : first + headBytes;
  const to = Math.max(first, Math.min(until ?? end, far, end));
  return { from: tailBytes === null ? first : Math.max(first, to - tailBytes), to };
}

function countOf({ lines }: Page): number {
  return lines.reduce((sum, { count }) => sum + count, 0);
}

/** Checks combinations of values that a schema cannot. */
export function requireConsistent({ grep, head, tail, cursor, until, maxBytes }: TextRequest): void {
  if (maxBytes < MIN_TEXT_BYTES)
    throw new HoltError("EBADARGS", `${maxBytes} bytes are too few for a page of text`, {
      hint: `max_bytes is at least ${MIN_TEXT_BYTES} with view text: room for a line and a note on what is left out`,
    });
  if (grep !== null && (head !== null || tail !== null))
    throw new HoltError("EBADARGS", "grep goes with neither head nor tail", {
      hint: "max_matches bounds what it finds",
    });
  if (until !== null && until < cursor)
    throw new HoltError("EBADARGS", `cursor ${until} lies before cursor ${cursor}`, {
      hint: "until is the higher one",
    });
}
