/**
 * Finds a literal that every match of a regular expression contains, so that a fast search can skip
 * most text. Conservative: an expression with a choice at its outermost level has none.
 */
const ORDINARY = /^[\t\x20-\x7e]$/;
const QUANTIFIED = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/;
const MAY_BE_LEFT_OUT = /^(?:[*?]|\{0)/;

/** The longest such literal; null when there is none. */
export function requiredLiteral(source: string): string | null {
  let best = "";
  let run = "";
  const close = (): void => {
    if (run.length > best.length) best = run;
    run = "";
  };
  for (let at = 0; at < source.length; ) {
    const atom = atomAt(source, at);
    if (atom === null) return null;
    at += atom.length;
    const [quantifier = ""] = QUANTIFIED.exec(source.slice(at, at + 32)) ?? [];
    at += quantifier.length;
    if (atom.literal === null || MAY_BE_LEFT_OUT.test(quantifier)) close();
    else {
      run += atom.literal;
      if (quantifier !== "") close();
    }
  }
  close();
  return best === "" ? null : best;
}

interface Atom {
  length: number;
  literal: string | null;
}

/** Null: no literal is certain for the whole expression. */
function atomAt(source: string, at: number): Atom | null {
  const character = source[at] ?? "";
  if (character === "|") return null;
  if (character === "\\") return escapeAt(source, at);
  if (character === "[") return { length: classEnd(source, at) - at, literal: null };
  if (character === "(") return { length: groupEnd(source, at) - at, literal: null };
  if (/[.^$*+?{}\])]/.test(character)) return { length: 1, literal: null };
  return { length: 1, literal: ORDINARY.test(character) ? character : null };
}

/** An escaped punctuation character is a literal; other escapes are only skipped. */
function escapeAt(source: string, at: number): Atom {
  const next = source[at + 1] ?? "";
  if (/[\\^$.*+?()[\]{}|/-]/.test(next)) return { length: 2, literal: next };
  const [long = ""] =
    /^\\(?:u\{[^}]*\}|u[\da-f]{4}|x[\da-f]{2}|c[a-z]|[pP]\{[^}]*\}|k<[^>]*>|\d+)/i.exec(source.slice(at, at + 200)) ??
    [];
  return { length: Math.max(2, long.length), literal: null };
}

function classEnd(source: string, at: number): number {
  for (let end = at + 1; end < source.length; end++) {
    if (source[end] === "\\") end++;
    else if (source[end] === "]") return end + 1;
  }
  return source.length;
}

function groupEnd(source: string, at: number): number {
  let depth = 0;
  for (let end = at; end < source.length; end++) {
    if (source[end] === "\\") end++;
    else if (source[end] === "[") end = classEnd(source, end) - 1;
    else if (source[end] === "(") depth++;
    else if (source[end] === ")" && --depth === 0) return end + 1;
  }
  return source.length;
}
