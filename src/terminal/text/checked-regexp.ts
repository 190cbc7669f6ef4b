/**
 * A regular expression that says when it gave up. The engine counts its steps where a group repeats; past its limit it answers as where nothing matches, and
 * throws nothing. So it is asked for the text's end as well: every text has one, and who does not find it either gave up.
 */
export interface RegexMatch {
  at: number;
  match: string;
}

/** A group that may repeat. What has none can take for ever, and never gives up; without the text's end it is found many times as fast. */
const MAY_GIVE_UP = /\([^]*[*+{]/;
/** The group takes part where that was found, and not what is looked for. */
const OR_THE_END = "|(?![^])()";

export class CheckedRegExp {
  readonly #pattern: RegExp;
  readonly #mayGiveUp: boolean;

  /** Throws what RegExp does. */
  constructor(source: string, flags: string) {
    const global = `${flags.replace("g", "")}g`;
    this.#mayGiveUp = MAY_GIVE_UP.test(source);
    this.#pattern = new RegExp(source, global);
    if (this.#mayGiveUp) this.#pattern = new RegExp(`(?:${source})${OR_THE_END}`, global);
  }

  /** From `from` on; null: nowhere. */
  find(text: string, from: number): RegexMatch | null | "gave up" {
    this.#pattern.lastIndex = from;
    const found = this.#pattern.exec(text);
    if (found === null) return this.#mayGiveUp ? "gave up" : null;
    if (this.#mayGiveUp && found.at(-1) !== undefined) return null;
    return { at: found.index, match: found[0] };
  }
}
