/**
 * On which line a key stands. The runtime's parsers give values and no places, so each format has a small walker that finds keys
 * and skips values. The parser is the judge of what is valid: a walker only has to be right about what the parser accepts.
 */
export interface Place {
  path: readonly string[];
  /** Of the key, in the text. */
  at: number;
}

export class Places {
  readonly #ends: readonly number[];
  readonly #lines = new Map<string, number>();
  /** Tables that only a dotted key speaks of. */
  readonly #implied = new Map<string, number>();
  /** Keys that stand there twice. */
  readonly repeated: { path: readonly string[]; line: number }[] = [];

  constructor(text: string, places: Iterable<Place>) {
    this.#ends = [...text.matchAll(/\n/g)].map(({ index }) => index);
    for (const { path, at } of places) {
      const line = this.lineAt(at);
      const known = idOf(path);
      if (this.#lines.has(known)) this.repeated.push({ path, line });
      else this.#lines.set(known, line);
      for (let length = 1; length < path.length; length++) this.#imply(path.slice(0, length), line);
    }
  }

  /** From 1. Of the key, or of the nearest that it stands in; null where none of them does. */
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

  /** By halving: a file may have as many keys as it has lines. */
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

/** A key may contain any character but this one. */
function idOf(path: readonly string[]): string {
  return path.join("\0");
}
