/**
 * A regular expression that reports when the engine gave up. The engine counts its steps where a
 * group repeats; past its limit it reports no match and throws nothing. So the expression also
 * matches the end of the text: no match at all means that the engine gave up.
 */
export interface RegexMatch {
  at: number;
  match: string;
}

/**
 * A group that may repeat. Expressions without one may take very long but never give up, and are
 * much faster without the added end.
 */
const MAY_GIVE_UP = /\([^]*[*+{]/;
/** The empty group takes part only when the end of the text matched. */
const OR_END_OF_TEXT = "|(?![^])()";

export class CheckedRegExp {
  readonly #pattern: RegExp;
  readonly #mayGiveUp: boolean;

  /** Throws SyntaxError like RegExp. */
  constructor(source: string, flags: string) {
    const global = `${flags.replace("g", "")}g`;
    this.#mayGiveUp = MAY_GIVE_UP.test(source);
    this.#pattern = new RegExp(source, global);
    if (this.#mayGiveUp) this.#pattern = new RegExp(`(?:${source})${OR_END_OF_TEXT}`, global);
  }

  /** The first match from `from` on; null when there is none. */
  find(text: string, from: number): RegexMatch | null | "gave up" {
    this.#pattern.lastIndex = from;
    const found = this.#pattern.exec(text);
    if (found === null) return this.#mayGiveUp ? "gave up" : null;
    if (this.#mayGiveUp && found.at(-1) !== undefined) return null;
    return { at: found.index, match: found[0] };
  }
}
