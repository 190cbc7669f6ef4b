/** The text of a transcript, line by line, forwards and backwards from any cursor. */
import type { Channel } from "../protocol/session.ts";
import { lineText } from "../terminal/line-text.ts";
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
}

const FIRST_WINDOW = 16 * 1024;
const LAST_WINDOW = 1024 * 1024;

export class TextLines {
  readonly #raw: RawLines;

  constructor(options: RawLinesOptions) {
    this.#raw = new RawLines(options);
  }

  get end(): number {
    return this.#raw.end;
  }

  /** Those that end in (from, to], ascending, some at a time. */
  *between(from: number, to: number): Generator<TextLine[], void> {
    for (const batch of this.#raw.between(from, to)) {
      const lines: TextLine[] = [];
      for (const raw of batch) {
        for (const line of textOf(raw, this.#raw.block)) if (line.end > from && line.end <= to) lines.push(line);
      }
      yield lines;
    }
  }

  /** The same, the last ones first: each batch ascends, and lies before the one that came before it. */
  *backwards(from: number, to: number): Generator<TextLine[], void> {
    let window = FIRST_WINDOW;
    for (let until = Math.min(to, this.end); until > from; ) {
      const start = Math.max(from, until - window);
      const batch = [...this.between(start, until)].flat();
      yield batch;
      window = batch.length === 0 ? 2 * window : Math.min(2 * window, LAST_WINDOW);
      until = start;
    }
  }
}

/** Of a raw line: several where it moved to other rows. */
function textOf({ channel, start, end, pieces }: RawLine, block: number): TextLine[] {
  if (channel === null)
    return [{ channel, start, end, text: `… what was printed before cursor ${end} was not kept …` }];
  const bytes = bytesOf(pieces);
  const lines = lineText(bytes);
  const [only] = lines;
  if (only !== undefined && lines.length === 1) return [{ channel, start, end, text: only.text }];
  // Only where nothing else ends meanwhile can they be told apart by their cursors.
  const isAlone = end - start === bytes.length && Math.floor(start / block) === Math.floor((end - 1) / block);
  let from = start;
  return lines.map(({ text, end: at }, number) => {
    const own = { channel, start: from, end: isAlone && number < lines.length - 1 ? start + at : end, text };
    from = isAlone ? own.end : start;
    return own;
  });
}
