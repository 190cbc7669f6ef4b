import { type RegexMatch, CheckedRegExp } from "../../terminal/text/checked-regexp.ts";

export interface PatternMatch {
  match: string;
  /** Just past it in the text. */
  end: number;
}

export interface PatternSearchResult {
  /** What matched. Null when nothing did, or the search was ended. */
  found: PatternMatch | null;
  /** The end of the last line of which that cannot be told, as the expression backtracks too much, before its newline; null: it was told of all. */
  unjudged: number | null;
}

/** Looks for a pattern in a piece of text, from `from` on. */
export interface PatternSearch extends Disposable {
  find(text: string, from: number): PatternSearchResult | Promise<PatternSearchResult>;
}

/** With nothing repeated and few choices, the work at each character is bounded by the pattern's length. */
export function isBoundedPattern({ source }: RegExp): boolean {
  const MAX_CHOICES = 8;
  const choices = source.match(/[|?]/g)?.length ?? 0;
  return choices <= MAX_CHOICES && !/[*+{]|\\[1-9k]/.test(source);
}

export function searchInProcess({ source, flags }: RegExp): PatternSearch {
  const pattern = new CheckedRegExp(source, flags);
  return {
    find(text, from) {
      const place = pattern.find(text, from);
      if (place !== "gave up") return { found: matchAt(place), unjudged: null };
      return findByLine(pattern, text, from);
    },
    [Symbol.dispose]() {},
  };
}

/** What is too much in all of it need not be in each line. */
function findByLine(pattern: CheckedRegExp, text: string, from: number): PatternSearchResult {
  let unjudged: number | null = null;
  for (let at = from; at < text.length; ) {
    const newline = text.indexOf("\n", at);
    const end = newline < 0 ? text.length : newline;
    // With what precedes it: `^` and what looks behind see no other beginning than there is.
    const place = pattern.find(text.slice(0, end), at);
    if (place === "gave up") unjudged = end;
    else if (place !== null) return { found: matchAt(place), unjudged };
    at = end + 1;
  }
  return { found: null, unjudged };
}

function matchAt(place: RegexMatch | null): PatternMatch | null {
  return place === null ? null : { match: place.match, end: place.at + place.match.length };
}
