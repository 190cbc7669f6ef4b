/** A search pattern for lines of text, with hints that let the caller skip most lines. */
import { requiredLiteral } from "./required-literal.ts";
import { CheckedRegExp } from "./checked-regexp.ts";

export interface PatternSpec {
  text: string;
  /** `text` is a regular expression. */
  isRegex: boolean;
  ignoreCase: boolean;
}

const MOST_CASELESS = 200;
/** Lookarounds depend on neighbouring lines, which differ in a block of lines. */
const LOOKS_AROUND = /\(\?<?!/;

export class LinePattern {
  /** A literal that every matching line contains; null when none is known. */
  readonly literal: string | null;
  /** The same for case-insensitive patterns: contained in every matching ASCII line in any case. */
  readonly caseless: string | null;
  readonly #line: CheckedRegExp;
  /** Matches wherever a line matches, perhaps elsewhere; null when impossible. */
  #block: CheckedRegExp | null;
  /** The last line the engine gave up on, which takes a second to find out. */
  #gaveUpOn: string | null = null;

  /** Throws what RegExp does. */
  constructor({ text, isRegex, ignoreCase }: PatternSpec) {
    const source = isRegex ? text : RegExp.escape(text);
    const flags = ignoreCase ? "ui" : "u";
    this.#line = new CheckedRegExp(source, flags);
    this.#block = LOOKS_AROUND.test(source) ? null : new CheckedRegExp(source, `${flags}m`);
    const required = isRegex ? requiredLiteral(source) : asciiOrNull(text);
    this.literal = ignoreCase ? null : required;
    this.caseless = ignoreCase && (required?.length ?? 0) <= MOST_CASELESS ? required : null;
  }

  /** Null when the engine gave up: the expression backtracks too much. */
  matches(line: string): boolean | null {
    if (line === this.#gaveUpOn) return null;
    const place = this.#line.find(line, 0);
    if (place !== "gave up") return place !== null;
    this.#gaveUpOn = line;
    return null;
  }

  /** Index of the match in a line; -1 when there is none or the engine gave up. */
  find(line: string): number {
    const place = this.#line.find(line, 0);
    return place === null || place === "gave up" ? -1 : place.at;
  }

  /**
   * In a block of lines: index from `from` on in the next line that may match; -1 when there is
   * none.
   */
  mayMatchAt(text: string, from: number): number {
    if (this.literal !== null) return text.indexOf(this.literal, from);
    if (this.#block === null) return from < text.length ? from : -1;
    const place = this.#block.find(text, from);
    if (place !== "gave up") return place?.at ?? -1;
    // The engine may still manage single lines: from now on every line is a candidate.
    this.#block = null;
    return from;
  }
}

function asciiOrNull(text: string): string | null {
  return /^[\t\x20-\x7e]+$/.test(text) ? text : null;
}
