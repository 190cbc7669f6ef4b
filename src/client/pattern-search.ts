export interface Found {
  match: string;
  /** Just past it in the text. */
  end: number;
}

/** Looks for a pattern in a piece of text, from `from` on. */
export interface Search extends Disposable {
  /** What matched. Null when nothing did, or the search was ended. */
  find(text: string, from: number): Found | null | Promise<Found | null>;
}

/** With nothing repeated and few choices, the work at each character is bounded by the pattern's length. */
export function isQuick({ source }: RegExp): boolean {
  const MOST_CHOICES = 8;
  const choices = source.match(/[|?]/g)?.length ?? 0;
  return choices <= MOST_CHOICES && !/[*+{]|\\[1-9k]/.test(source);
}

export function searchHere(pattern: RegExp): Search {
  const global = new RegExp(pattern.source, `${pattern.flags.replace("g", "")}g`);
  return {
    find(text, from) {
      global.lastIndex = from;
      const found = global.exec(text);
      return found === null ? null : { match: found[0], end: found.index + found[0].length };
    },
    [Symbol.dispose]() {},
  };
}
