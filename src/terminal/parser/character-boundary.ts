/**
 * Tracks whether a UTF-8 stream currently ends inside a character. Reads at most three bytes per
 * chunk.
 */
const MAX_UNFINISHED = 3;

export class CharacterBoundary {
  #missing = 0;
  #start = 0;

  /** For a stream that reached `end`: the start of its unfinished character, or `end`. */
  before(end: number): number {
    return this.#missing > 0 ? this.#start : end;
  }

  push(base: number, chunk: Uint8Array): void {
    const first = Math.max(0, chunk.length - MAX_UNFINISHED);
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
