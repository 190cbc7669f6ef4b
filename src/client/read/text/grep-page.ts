/** A page of matching lines and the lines around them. */
import type { Channel } from "../../../protocol/types/session.ts";
import { grep, type GrepLine } from "../../../rendering/grep/grep.ts";
import { RawLines } from "../../../rendering/grep/raw-lines.ts";
import { TextLines } from "../../../rendering/grep/text-lines.ts";
import { LinePattern, type PatternSpec } from "../../../terminal/text/line-pattern.ts";
import type { TranscriptReader } from "../../../transcript/read/reader.ts";
import type { YieldToLoop } from "./page.ts";

export interface GrepOptions {
  spec: PatternSpec;
  before: number;
  after: number;
  channel: Channel | null;
  /** The end of the transcript. */
  end: number;
  /** Matches end in (from, to], lines around them in (widest.from, widest.to]. */
  from: number;
  to: number;
  widest: { from: number; to: number };
  maxMatches: number;
  /** Bounds the text. */
  maxBytes: number;
}

export interface GrepResult {
  found: GrepLine[];
  /** Lines that end past it were not searched or not returned; null if all were. */
  resumeCursor: number | null;
  /** Start cursors of lines that could not be matched. */
  unjudged: number[];
}

export async function grepPage(
  reader: TranscriptReader,
  options: GrepOptions,
  yieldToLoop: YieldToLoop,
): Promise<GrepResult> {
  const { spec, before, after, channel, end, from, to, widest } = options;
  const source = { source: reader, channel, end };
  const hasOneChannel = channel === null && reader.hasOneChannel();
  const scan = {
    lines: new RawLines(source),
    hasOneChannel,
    rawBytes: (into: Uint8Array, position: number) => reader.rawBytes(into, position),
  };
  const pattern = new LinePattern(spec);
  const bounds = new GrepBounds(options);
  const lines = new TextLines({ ...source, within: widest });
  for (const part of grep({ pattern, from, to, widest, before, after, lines, scan })) {
    bounds.unjudged.push(...part.unjudged);
    for (const line of part.found) if (!bounds.take(line)) return bounds.result();
    await yieldToLoop();
  }
  return bounds.result();
}

/** Collects lines up to the limits of a page. */
export class GrepBounds {
  readonly #options: GrepOptions;
  readonly #found: GrepLine[] = [];
  #matches = 0;
  #bytes = 0;
  #resumeCursor: number | null = null;
  readonly unjudged: number[] = [];

  constructor(options: GrepOptions) {
    this.#options = options;
  }

  /**
   * False if the line exceeds a limit. A line with the same end as the last is always kept, because
   * a cursor cannot separate them.
   */
  take(line: GrepLine): boolean {
    const { maxMatches, maxBytes, from } = this.#options;
    const last = this.#found.at(-1);
    this.#bytes += Buffer.byteLength(line.text) + 1;
    const isEnough = this.#matches >= maxMatches && line.role !== "after";
    if ((isEnough || (this.#bytes > maxBytes && last !== undefined)) && last?.end !== line.end) {
      this.#resumeCursor = last?.end ?? from;
      return false;
    }
    if (line.role === "match") this.#matches++;
    this.#found.push(line);
    return true;
  }

  result(): GrepResult {
    const resumeCursor = this.#resumeCursor;
    return {
      found: this.#found,
      resumeCursor,
      unjudged: this.unjudged.filter((start) => resumeCursor === null || start < resumeCursor),
    };
  }
}
