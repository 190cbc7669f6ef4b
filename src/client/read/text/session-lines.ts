/** The lines of one session as generators, for commands: the consumer sets the pace. */
import { type Channel, isFinal } from "../../../protocol/types/session.ts";
import { grep, type GrepLine } from "../../../rendering/grep/grep.ts";
import { RawLines } from "../../../rendering/grep/raw-lines.ts";
import { type TextLine, TextLines } from "../../../rendering/grep/text-lines.ts";
import type { PatternSpec } from "../../../terminal/text/line-pattern.ts";
import type { TranscriptReader } from "../../../transcript/read/reader.ts";
import { compilePattern } from "./grep-request.ts";

export type { GrepLine, TextLine };

export interface LineRange {
  channel: Channel | null;
  /**
   * Lines that end in (from, to], or the part of a long line in that range. `to` null: to the end.
   */
  from: number;
  to: number | null;
}

export class SessionLines {
  readonly from: number;
  readonly to: number;
  /** Start cursors of lines that could not be matched. */
  readonly unjudged: number[] = [];
  readonly #reader: TranscriptReader;
  readonly #source: ConstructorParameters<typeof TextLines>[0];
  readonly #lines: TextLines;

  constructor(reader: TranscriptReader, { channel, from, to }: LineRange) {
    const { state, output_bytes } = reader.session();
    const end = isFinal(state) ? Math.max(output_bytes, reader.end()) : reader.end();
    this.#reader = reader;
    this.#source = { source: reader, channel, end };
    this.from = Math.min(from, end);
    this.to = Math.max(this.from, Math.min(to ?? end, end));
    this.#lines = new TextLines({ ...this.#source, within: { from: this.from, to: this.to } });
  }

  *all(): Generator<TextLine, void> {
    for (const batch of this.#lines.between(this.from, this.to)) yield* batch;
  }

  *first(count: number): Generator<TextLine, void> {
    let left = count;
    for (const line of this.all()) {
      if (left-- === 0) return;
      yield line;
    }
  }

  last(count: number): TextLine[] {
    const batches: TextLine[][] = [];
    let found = 0;
    for (const batch of this.#lines.backwards(this.from, this.to)) {
      if (found >= count) break;
      batches.push(batch);
      found += batch.length;
    }
    return count === 0 ? [] : batches.toReversed().flat().slice(-count);
  }

  *matching(spec: PatternSpec, { before, after }: { before: number; after: number }): Generator<GrepLine, void> {
    const { from, to } = this;
    const reader = this.#reader;
    const scan = {
      lines: new RawLines(this.#source),
      hasOneChannel: this.#source.channel === null && reader.hasOneChannel(),
      rawBytes: (into: Uint8Array, position: number) => reader.rawBytes(into, position),
    };
    const request = { pattern: compilePattern(spec), from, to, widest: { from, to }, before, after };
    for (const { found, unjudged } of grep({ ...request, lines: this.#lines, scan })) {
      this.unjudged.push(...unjudged);
      yield* found;
    }
  }
}
