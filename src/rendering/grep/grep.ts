/** The lines of a transcript that match, and those around them. */
import type { LinePattern } from "../../terminal/text/line-pattern.ts";
import { candidateRegions, type Region, type ScanRequest } from "./prefilter.ts";
import { SHORT_LINE, type TextLine, type TextLines } from "./text-lines.ts";

export interface GrepRequest {
  pattern: LinePattern;
  /** What matches ends in (from, to], and what is told around it in (widest.from, widest.to]. */
  from: number;
  to: number;
  widest: { from: number; to: number };
  /** How many lines before and after each. */
  before: number;
  after: number;
  lines: TextLines;
  scan: Omit<ScanRequest, "pattern" | "from" | "to">;
}

/** "before" begins the context of a match that is not near the last one. */
export interface GrepLine extends TextLine {
  role: "before" | "match" | "after";
  /** Of a match in a long line: how many characters stand before it. */
  at?: number;
}

export interface GrepPart {
  found: GrepLine[];
  /** Where lines begin of which it cannot be told whether they match. */
  unjudged: number[];
}

/** Ascending, none twice; an empty list where a part was looked through in vain. */
export function* grep(request: GrepRequest): Generator<GrepPart, void> {
  const { pattern, from, to, scan } = request;
  const context = new ContextLines(request);
  for (const regions of candidateRegions({ ...scan, pattern, from, to })) {
    const found: GrepLine[] = [];
    for (const region of regions) found.push(...context.look(region));
    yield { found, unjudged: context.unjudged.splice(0) };
  }
  yield { found: context.rest(), unjudged: [] };
}

/** Of lines around a match so many bytes are looked at first, for each that is wanted: most are shorter. */
const A_LINE = 160;

class ContextLines {
  readonly #request: GrepRequest;
  /** Everything up to there was told, or is not wanted. */
  told: number;
  /** The last lines that were looked at without a gap, none of them told. */
  #recent: TextLine[] = [];
  /** Where those begin to be known. */
  #knownFrom: number;
  #seen: number;
  /** Lines after the last match that are still to be told. */
  #owed = 0;
  readonly unjudged: number[] = [];

  constructor(request: GrepRequest) {
    this.#request = request;
    this.told = request.widest.from;
    this.#knownFrom = request.from;
    this.#seen = request.from;
  }

  *look({ from, to }: Region): Generator<GrepLine, void> {
    const { before, lines } = this.#request;
    const end = Math.min(to, this.#request.to);
    yield* this.#payUntil(from);
    if (from > this.#seen) {
      this.#recent = [];
      this.#knownFrom = from;
      this.#seen = from;
    }
    for (const batch of lines.between(this.#seen, end)) {
      for (const line of batch) {
        const isMatch = this.#isMatch(line);
        if (isMatch === null) this.unjudged.push(line.start);
        if (isMatch === true) {
          yield* this.#before();
          yield this.#tell(line, "match");
          this.#owed = this.#request.after;
        } else if (this.#owed > 0) {
          this.#owed--;
          yield this.#tell(line, "after");
        } else {
          this.#recent.push(line);
          if (this.#recent.length > before) this.#knownFrom = this.#recent.shift()?.end ?? this.#knownFrom;
        }
      }
    }
    this.#seen = Math.max(this.#seen, end);
  }

  /** What follows the last match, up to the next. */
  rest(): GrepLine[] {
    return [...this.#payUntil(this.#request.widest.to)];
  }

  #isMatch({ channel, text }: TextLine): boolean | null {
    return channel !== null && this.#request.pattern.matches(text);
  }

  /** A little at a time: the next region may be far away. */
  *#payUntil(cursor: number): Generator<GrepLine, void> {
    for (let step = A_LINE * this.#owed; this.#owed > 0 && this.#seen < cursor; step *= 2) {
      const to = Math.min(cursor, this.#seen + step);
      for (const batch of this.#request.lines.between(this.#seen, to)) {
        for (const line of batch) {
          if (line.end > this.#request.to && this.#isMatch(line) === true) this.#owed = 0;
          if (this.#owed === 0) return;
          this.#owed--;
          yield this.#tell(line, "after");
        }
      }
      this.#seen = to;
    }
  }

  *#before(): Generator<GrepLine, void> {
    const { before, lines } = this.#request;
    const missing = before - this.#recent.length;
    const earlier: TextLine[] = [];
    if (missing > 0 && this.#knownFrom > this.told) {
      for (const batch of lines.backwards(this.told, this.#knownFrom, A_LINE * missing)) {
        earlier.unshift(...batch);
        if (earlier.length >= missing) break;
      }
    }
    const all = [...(missing > 0 ? earlier.slice(-missing) : []), ...this.#recent];
    this.#recent = [];
    for (const line of all) yield this.#tell(line, "before");
  }

  #tell(line: TextLine, role: GrepLine["role"]): GrepLine {
    this.told = line.end;
    this.#seen = Math.max(this.#seen, line.end);
    this.#knownFrom = line.end;
    const isFar = role === "match" && line.text.length > SHORT_LINE;
    return { ...line, role, ...(isFar ? { at: this.#request.pattern.find(line.text) } : {}) };
  }
}
