/** What is looked for in lines of text, and how most of them can be passed over. */
import { requiredLiteral } from "./required-literal.ts";

export interface Sought {
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
  readonly #line: RegExp;
  /** Matches wherever a line does, and perhaps elsewhere; null where that cannot be had. */
  readonly #among: RegExp | null;

  /** Throws what RegExp does. */
  constructor({ text, isRegex, ignoreCase }: Sought) {
    const source = isRegex ? text : RegExp.escape(text);
    const flags = ignoreCase ? "ui" : "u";
    this.#line = new RegExp(source, flags);
    this.#among = LOOKS_AROUND.test(source) ? null : new RegExp(source, `${flags}gm`);
    const required = isRegex ? requiredLiteral(source) : asciiOrNull(text);
    this.literal = ignoreCase ? null : required;
    this.caseless = ignoreCase && (required?.length ?? 0) <= MOST_CASELESS ? required : null;
  }

  matches(line: string): boolean {
    return this.#line.test(line);
  }

  /** Where in a line; -1 where it does not match. */
  find(line: string): number {
    return line.search(this.#line);
  }

  /** In several lines, from `from` on: where the next that may match has something to show for it; -1 where none does. */
  mayMatchAt(text: string, from: number): number {
    if (this.literal !== null) return text.indexOf(this.literal, from);
    if (this.#among === null) return from < text.length ? from : -1;
    this.#among.lastIndex = from;
    return this.#among.exec(text)?.index ?? -1;
  }
}

function asciiOrNull(text: string): string | null {
  return /^[\t\x20-\x7e]+$/.test(text) ? text : null;
}
