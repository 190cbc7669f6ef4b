/** Native searches in a chunk of a terminal's stream for the bytes that mean something. */
import { NextByte } from "./next-byte.ts";

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

  /** Where text may end. */
  inText(from: number): number {
    let at = Math.min(this.#escape.at(from), this.#lead.at(from));
    for (const next of this.#watched) at = Math.min(at, next.at(from));
    return at;
  }

  /** Where a string may end; only an OSC ends at BEL. */
  inString(from: number, endsAtBell: boolean): number {
    const at = Math.min(this.#escape.at(from), this.#lead.at(from), this.#cancel.at(from), this.#substitute.at(from));
    return endsAtBell ? Math.min(at, this.#bell.at(from)) : at;
  }
}
