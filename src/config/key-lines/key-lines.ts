/**
 * The line of each key. The runtime's parsers return values without lines, so each format has a
 * small walker that finds keys and skips values. The parser checks validity; a walker only has to
 * be right for text that the parser accepts.
 */
export interface KeyLocation {
  path: readonly string[];
  /** Offset of the key in the text. */
  at: number;
}

export class KeyLines {
  readonly #ends: readonly number[];
  readonly #lines = new Map<string, number>();
  /** Tables that only dotted keys mention. */
  readonly #implied = new Map<string, number>();
  /** Duplicate keys. */
  readonly repeated: { path: readonly string[]; line: number }[] = [];

  constructor(text: string, keys: Iterable<KeyLocation>) {
    this.#ends = [...text.matchAll(/\n/g)].map(({ index }) => index);
    for (const { path, at } of keys) {
      const line = this.lineAt(at);
      const known = idOf(path);
      if (this.#lines.has(known)) this.repeated.push({ path, line });
      else this.#lines.set(known, line);
      for (let length = 1; length < path.length; length++) this.#imply(path.slice(0, length), line);
    }
  }

  /**
   * Counted from 1. The line of the key, or of the nearest table around it; null if none has a
   * line.
   */
  lineOf(path: readonly string[]): number | null {
    for (let length = path.length; length > 0; length--) {
      const id = idOf(path.slice(0, length));
      const line = this.#lines.get(id) ?? this.#implied.get(id);
      if (line !== undefined) return line;
    }
    return null;
  }

  #imply(path: readonly string[], line: number): void {
    const id = idOf(path);
    if (!this.#implied.has(id)) this.#implied.set(id, line);
  }

  /** Binary search: a file may have as many keys as lines. */
  lineAt(offset: number): number {
    let [low, high] = [0, this.#ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#ends[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  }
}

/** No key contains NUL. */
function idOf(path: readonly string[]): string {
  return path.join("\0");
}
