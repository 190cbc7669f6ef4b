/**
 * Finds the line of a syntax error, which the runtime's parsers do not report. Uses few parses: the
 * file may be long, and the daemon's other calls wait meanwhile.
 */

/** In files with at most this many lines, every line is tried. */
const SHORT_FILE_LINES = 200;
/** In longer files, this many lines after the result of the binary search are tried. */
const LINES_AFTER = 10;

export function badLine(text: string, parse: (text: string) => unknown, { isJson }: { isJson: boolean }): number {
  const parses = (part: string): boolean => {
    try {
      parse(part);
      return true;
    } catch {
      return false;
    }
  };
  return isJson ? badJsonLine(text, parses) : badLineOf(text.split("\n"), parses);
}

/**
 * The first line after the longest valid prefix of the file. A prefix that ends inside a multi-line
 * value is invalid too, so the binary search may stop early; therefore a few more lines after its
 * result are tried.
 */
function badLineOf(lines: readonly string[], parses: (text: string) => boolean): number {
  const isValid = (count: number): boolean => parses(lines.slice(0, count).join("\n"));
  const isShort = lines.length <= SHORT_FILE_LINES;
  const tries = isShort ? SHORT_FILE_LINES : LINES_AFTER;
  let valid = isShort ? 0 : lastTrue(lines.length, isValid);
  for (let count = Math.min(lines.length - 1, valid + tries); count > valid; count--) if (isValid(count)) valid = count;
  return valid + 1;
}

/**
 * A prefix of a JSON text is valid if it parses once its open brackets are closed, perhaps after a
 * filler value.
 */
function badJsonLine(text: string, parses: (text: string) => boolean): number {
  const tokens = [...text.matchAll(/\s*(?:"(?:[^"\\\n]|\\.)*"|[[\]{}:,]|[^\s"[\]{}:,]+)/gy)];
  const endOf = (count: number): number => {
    const last = tokens[count - 1];
    return last === undefined ? 0 : last.index + last[0].length;
  };
  const isValid = (count: number): boolean => {
    const closing = closingFor(tokens.slice(0, count).map(([token]) => token.trim()));
    return ["", "1", '"":1', ":1"].some((filler) => parses(text.slice(0, endOf(count)) + filler + closing));
  };
  const valid = lastTrue(tokens.length, isValid);
  if (valid < tokens.length) return lineAt(text, endOf(valid + 1));
  const end = endOf(valid);
  return lineAt(text, end + (/\S/.exec(text.slice(end))?.index ?? 0));
}

function closingFor(tokens: readonly string[]): string {
  const open: string[] = [];
  for (const token of tokens) {
    if (token === "{" || token === "[") open.push(token === "{" ? "}" : "]");
    else if (token === open.at(-1)) open.pop();
  }
  return open.toReversed().join("");
}

/**
 * Binary search: the last number up to `most` for which `holds` is true, if it is true for all
 * smaller ones; else 0.
 */
function lastTrue(most: number, holds: (count: number) => boolean): number {
  let [low, high] = [0, most];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}
