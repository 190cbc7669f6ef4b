/** The parsers do not say where they stopped. It is found in few tries, as the file may be long and the daemon reads it while others wait. */

/** Of so few lines each is tried. */
const FEW = 200;
/** Of more, so many behind the one that halving found. */
const BEHIND = 10;

export function badLine(text: string, parse: (text: string) => unknown, isJson: boolean): number {
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
 * The first line that no valid beginning of the file includes. A beginning may end inside of something that is longer than a line, and be none for that reason: behind the
 * longest one that halving finds, a few more lines are tried.
 */
function badLineOf(lines: readonly string[], parses: (text: string) => boolean): number {
  const isValid = (count: number): boolean => parses(lines.slice(0, count).join("\n"));
  const tries = lines.length <= FEW ? FEW : BEHIND;
  let valid = lines.length <= FEW ? 0 : lastTrue(lines.length, isValid);
  for (let count = Math.min(lines.length - 1, valid + tries); count > valid; count--) if (isValid(count)) valid = count;
  return valid + 1;
}

/** No beginning of a JSON text is one; but whatever is right up to some token is right again once all that is open is closed behind it. */
function badJsonLine(text: string, parses: (text: string) => boolean): number {
  const tokens = [...text.matchAll(/\s*(?:"(?:[^"\\\n]|\\.)*"|[[\]{}:,]|[^\s"[\]{}:,]+)/gy)];
  const endOf = (count: number): number => {
    const last = tokens[count - 1];
    return last === undefined ? 0 : last.index + last[0].length;
  };
  const isFine = (count: number): boolean => {
    const closing = closingFor(tokens.slice(0, count).map(([token]) => token.trim()));
    return ["", "1", '"":1', ":1"].some((filler) => parses(text.slice(0, endOf(count)) + filler + closing));
  };
  const valid = lastTrue(tokens.length, isFine);
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

/** The last number up to `most` of which it is so, where it is so of all before it; 0 where it is of none. */
function lastTrue(most: number, isSo: (count: number) => boolean): number {
  let [low, high] = [0, most];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (isSo(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}
