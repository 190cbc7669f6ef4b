/**
 * Where a byte occurs next in a chunk. The place found is kept until it is passed, so a byte that is rare costs one
 * native search in a chunk, however often it is asked for.
 */
export class NextByte {
  readonly #byte: number;
  #chunk: Uint8Array = NONE;
  #found = 0;

  constructor(byte: number) {
    this.#byte = byte;
  }

  search(chunk: Uint8Array): void {
    this.#chunk = chunk;
    this.#found = -1;
  }

  /** The chunk's length if it occurs no more. `from` never goes back within a chunk. */
  at(from: number): number {
    if (this.#found >= from) return this.#found;
    // Where one follows upon another, as in coloured output, the call of the native search is what costs.
    const chunk = this.#chunk;
    const near = Math.min(chunk.length, from + NEAR);
    for (let at = from; at < near; at++) if (chunk[at] === this.#byte) return (this.#found = at);
    const found = chunk.indexOf(this.#byte, near);
    this.#found = found === -1 ? this.#chunk.length : found;
    return this.#found;
  }
}

const NEAR = 8;
const NONE = new Uint8Array(0);
