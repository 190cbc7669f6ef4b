/** What is looked for in lines of text, and how most of them can be passed over. */
import { requiredLiteral } from "./required-literal.ts";
import { CheckedRegExp } from "./checked-regexp.ts";

export interface PatternSpec {
  text: string;
  /** `text` is a regular expression. */
  isRegex: boolean;
  ignoreCase: boolean;
}

const MOST_CASELESS = 200;
/** What they see depends on what follows or precedes a line, which is something else among other lines. */
const LOOKS_AROUND = /\(\?<?!/;

export class LinePattern {
  /** In every line that matches; null where nothing is known to be. */
  readonly literal: string | null;
  /** The same where case does not count: in every line of ASCII that matches, in whatever case. */
  readonly caseless: string | null;
  readonly #line: CheckedRegExp;
  /** Matches wherever a line does, and perhaps elsewhere; null where that cannot be had. */
  #among: CheckedRegExp | null;
  /** The last line that was too much for it, which takes a second to find out. */
  #tooMuch: string | null = null;

  /** Throws what RegExp does. */
  constructor({ text, isRegex, ignoreCase }: PatternSpec) {
    const source = isRegex ? text : RegExp.escape(text);
    const flags = ignoreCase ? "ui" : "u";
    this.#line = new CheckedRegExp(source, flags);
    this.#among = LOOKS_AROUND.test(source) ? null : new CheckedRegExp(source, `${flags}m`);
    const required = isRegex ? requiredLiteral(source) : asciiOrNull(text);
    this.literal = ignoreCase ? null : required;
    this.caseless = ignoreCase && (required?.length ?? 0) <= MOST_CASELESS ? required : null;
  }

  /** Null where that cannot be told: the expression backtracks too much. */
  matches(line: string): boolean | null {
    if (line === this.#tooMuch) return null;
    const place = this.#line.find(line, 0);
    if (place !== "gave up") return place !== null;
    this.#tooMuch = line;
    return null;
  }

  /** Where in a line; -1 where it is not known to match. */
  find(line: string): number {
    const place = this.#line.find(line, 0);
    return place === null || place === "gave up" ? -1 : place.at;
  }

  /** In several lines, from `from` on: where the next that may match has something to show for it; -1 where none does. */
  mayMatchAt(text: string, from: number): number {
    if (this.literal !== null) return text.indexOf(this.literal, from);
    if (this.#among === null) return from < text.length ? from : -1;
    const place = this.#among.find(text, from);
    if (place !== "gave up") return place?.at ?? -1;
    // What is too much among many lines need not be in each: from now on they are looked at one by one.
    this.#among = null;
    return from;
  }
}

function asciiOrNull(text: string): string | null {
  return /^[\t\x20-\x7e]+$/.test(text) ? text : null;
}
