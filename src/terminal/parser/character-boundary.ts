/** Knows whether a stream of UTF-8, cut where it was last cut, is inside a character. Looks at three bytes of a chunk. */
const LONGEST_BEGINNING = 3;

export class CharacterBoundary {
  #missing = 0;
  #start = 0;

  /** Of a stream that has come to `end`: where its last unfinished character begins, or `end`. */
  before(end: number): number {
    return this.#missing > 0 ? this.#start : end;
  }

  push(base: number, chunk: Uint8Array): void {
    const first = Math.max(0, chunk.length - LONGEST_BEGINNING);
    if (first > 0) this.#missing = 0;
    for (let at = first; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (byte >= 0x80 && byte < 0xc0) this.#missing = Math.max(0, this.#missing - 1);
      else {
        this.#missing = continuations(byte);
        this.#start = base + at;
      }
    }
  }
}

function continuations(byte: number): number {
  if (byte < 0xc2 || byte > 0xf4) return 0;
  return byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : 1;
}
