/** Searches a chunk natively for the bytes that end text or a string. */

const BEL = 0x07;
const CAN = 0x18;
const SUB = 0x1a;
const ESC = 0x1b;
/** The first byte of the C1 controls in UTF-8. */
export const C1_LEAD = 0xc2;

export class StreamSearch {
  readonly #escape = new NextByte(ESC);
  readonly #lead = new NextByte(C1_LEAD);
  readonly #bell = new NextByte(BEL);
  readonly #cancel = new NextByte(CAN);
  readonly #substitute = new NextByte(SUB);
  readonly #watched: readonly NextByte[];

  /** `watched` are controls that matter in text too. */
  constructor(watched: readonly number[]) {
    this.#watched = watched.map((code) => new NextByte(code));
  }

  enter(chunk: Uint8Array): void {
    this.#escape.search(chunk);
    this.#lead.search(chunk);
    this.#bell.search(chunk);
    this.#cancel.search(chunk);
    this.#substitute.search(chunk);
    for (const next of this.#watched) next.search(chunk);
  }

  /** Next position where text may end. */
  inText(from: number): number {
    let at = Math.min(this.#escape.at(from), this.#lead.at(from));
    for (const next of this.#watched) at = Math.min(at, next.at(from));
    return at;
  }

  /** Next position where a string may end; only OSC ends at BEL. */
  inString(from: number, endsAtBell: boolean): number {
    const at = Math.min(this.#escape.at(from), this.#lead.at(from), this.#cancel.at(from), this.#substitute.at(from));
    return endsAtBell ? Math.min(at, this.#bell.at(from)) : at;
  }
}

/**
 * Next position of one byte in a chunk. The position is cached until it is passed, so a rare byte
 * costs one native search per chunk.
 */
class NextByte {
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

  /** The chunk's length when there is none. `from` never goes back within a chunk. */
  at(from: number): number {
    if (this.#found >= from) return this.#found;
    // In coloured output positions are close together: the call of the native search would
    // dominate.
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
