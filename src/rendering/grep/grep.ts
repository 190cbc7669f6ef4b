/** Finds the lines of a transcript that match a pattern, with context lines around them. */
import type { LinePattern } from "../../terminal/text/line-pattern.ts";
import { candidateRegions, type Region, type ScanRequest } from "./prefilter.ts";
import { SHORT_LINE, type TextLine, type TextLines } from "./text-lines.ts";

export interface GrepRequest {
  pattern: LinePattern;
  /** Matches end in (from, to], context lines in (widest.from, widest.to]. */
  from: number;
  to: number;
  widest: { from: number; to: number };
  /** Number of context lines before and after each match. */
  before: number;
  after: number;
  lines: TextLines;
  scan: Omit<ScanRequest, "pattern" | "from" | "to">;
}

/** A line with role "before" starts a new group, apart from the last match. */
export interface GrepLine extends TextLine {
  role: "before" | "match" | "after";
  /** Index of the match, in long lines only. */
  at?: number;
}

export interface GrepPart {
  found: GrepLine[];
  /** Starts of lines that could not be matched: the expression backtracks too much. */
  unjudged: number[];
}

/**
 * Matches and context in ascending order without duplicates; an empty part for each stretch without
 * a match.
 */
export function* grep(request: GrepRequest): Generator<GrepPart, void> {
  const { pattern, from, to, scan } = request;
  const context = new ContextLines(request);
  for (const regions of candidateRegions({ ...scan, pattern, from, to })) {
    const found: GrepLine[] = [];
    for (const region of regions) found.push(...context.scan(region));
    yield { found, unjudged: context.unjudged.splice(0) };
  }
  yield { found: context.finish(), unjudged: [] };
}

/** Bytes first read per context line: most lines are shorter. */
const A_LINE = 160;

class ContextLines {
  readonly #request: GrepRequest;
  /** Everything up to this cursor was emitted or is not wanted. */
  emittedTo: number;
  /** The last lines read without a gap and not emitted. */
  #recent: TextLine[] = [];
  /** Start of `#recent`. */
  #knownFrom: number;
  #seen: number;
  /** Context lines still to emit after the last match. */
  #afterLeft = 0;
  readonly unjudged: number[] = [];

  constructor(request: GrepRequest) {
    this.#request = request;
    this.emittedTo = request.widest.from;
    this.#knownFrom = request.from;
    this.#seen = request.from;
  }

  *scan({ from, to }: Region): Generator<GrepLine, void> {
    const { before, lines } = this.#request;
    const end = Math.min(to, this.#request.to);
    yield* this.#emitAfter(from);
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
          yield* this.#emitBefore();
          yield this.#emit(line, "match");
          this.#afterLeft = this.#request.after;
        } else if (this.#afterLeft > 0) {
          this.#afterLeft--;
          yield this.#emit(line, "after");
        } else {
          this.#recent.push(line);
          if (this.#recent.length > before) this.#knownFrom = this.#recent.shift()?.end ?? this.#knownFrom;
        }
      }
    }
    this.#seen = Math.max(this.#seen, end);
  }

  /** Context after the last match. */
  finish(): GrepLine[] {
    return [...this.#emitAfter(this.#request.widest.to)];
  }

  #isMatch({ channel, text }: TextLine): boolean | null {
    return channel !== null && this.#request.pattern.matches(text);
  }

  /** Emits context after the last match, reading small steps: the next region may be far away. */
  *#emitAfter(cursor: number): Generator<GrepLine, void> {
    for (let step = A_LINE * this.#afterLeft; this.#afterLeft > 0 && this.#seen < cursor; step *= 2) {
      const to = Math.min(cursor, this.#seen + step);
      for (const batch of this.#request.lines.between(this.#seen, to)) {
        for (const line of batch) {
          if (line.end > this.#request.to && this.#isMatch(line) === true) this.#afterLeft = 0;
          if (this.#afterLeft === 0) return;
          this.#afterLeft--;
          yield this.#emit(line, "after");
        }
      }
      this.#seen = to;
    }
  }

  *#emitBefore(): Generator<GrepLine, void> {
    const { before, lines } = this.#request;
    const missing = before - this.#recent.length;
    const earlier: TextLine[] = [];
    if (missing > 0 && this.#knownFrom > this.emittedTo) {
      for (const batch of lines.backwards(this.emittedTo, this.#knownFrom, A_LINE * missing)) {
        earlier.unshift(...batch);
        if (earlier.length >= missing) break;
      }
    }
    const all = [...(missing > 0 ? earlier.slice(-missing) : []), ...this.#recent];
    this.#recent = [];
    for (const line of all) yield this.#emit(line, "before");
  }

  #emit(line: TextLine, role: GrepLine["role"]): GrepLine {
    this.emittedTo = line.end;
    this.#seen = Math.max(this.#seen, line.end);
    this.#knownFrom = line.end;
    const isFar = role === "match" && line.text.length > SHORT_LINE;
    return { ...line, role, ...(isFar ? { at: this.#request.pattern.find(line.text) } : {}) };
  }
}
