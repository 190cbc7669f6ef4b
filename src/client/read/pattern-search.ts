/** Searches text for a pattern, in this process. */
import { type RegexMatch, CheckedRegExp } from "../../terminal/text/checked-regexp.ts";

export interface PatternMatch {
  match: string;
  /** The index just past it in the text. */
  end: number;
}

export interface PatternSearchResult {
  /** Null if nothing matched, or the search was ended. */
  found: PatternMatch | null;
  /**
   * The end of the last line that could not be matched, before its newline, because the expression
   * backtracks too much; null if all could.
   */
  unjudged: number | null;
}

/** Searches a piece of text from index `from` on. */
export interface PatternSearch extends Disposable {
  find(text: string, from: number): PatternSearchResult | Promise<PatternSearchResult>;
}

/**
 * Without repetition and with few choices, the work per character is bounded by the pattern's
 * length.
 */
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

/** Lines may be matched one by one where the whole text takes too much. */
function findByLine(pattern: CheckedRegExp, text: string, from: number): PatternSearchResult {
  let unjudged: number | null = null;
  for (let at = from; at < text.length; ) {
    const newline = text.indexOf("\n", at);
    const end = newline < 0 ? text.length : newline;
    // Includes the text before the line, for `^` and lookbehind.
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
