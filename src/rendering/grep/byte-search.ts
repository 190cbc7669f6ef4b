/**
 * Finds an ASCII text in bytes, optionally ignoring case: first the two of its bytes that are
 * rarest in logs, then all of it.
 */
import type { ScanBuffer, TextByte } from "./scan-buffer.ts";

/** Characters of logs, most common first; others are rarer still. */
const COMMON = " etaoinsrlcdu0123456789./_-pmhg:fbywv=\"'()[],kxjqz";
/** The bit of a letter's case: 'A' | 0x20 is 'a'. */
const CASE = 0x20;

export class ByteSearch {
  readonly #places: readonly TextByte[];
  readonly #first: TextByte;
  readonly #second: TextByte;

  /** `text` must not be empty. */
  constructor(text: string, { ignoreCase }: { ignoreCase: boolean }) {
    this.#places = [...(ignoreCase ? text.toLowerCase() : text)].map((letter, at) => ({
      at,
      byte: letter.charCodeAt(0),
      mask: ignoreCase && /[a-z]/.test(letter) ? CASE : 0,
    }));
    const rarest = this.#places.toSorted((a, b) => rarity(b) - rarity(a)).slice(0, 2);
    const [first, second = first] = rarest.toSorted((a, b) => a.at - b.at);
    if (first === undefined || second === undefined) throw new Error("the text to search for is empty");
    this.#first = first;
    this.#second = second;
  }

  /**
   * Start of the first match from `from` on within the first `length` bytes; `length` when there is
   * none.
   */
  find(scan: ScanBuffer, from: number, length: number): number {
    const [a, b] = [this.#first, this.#second];
    const last = length - this.#places.length;
    for (let at = from; at <= last; at++) {
      at = scan.pair(at + a.at, length, a, b) - a.at;
      if (at <= last && this.#isAt(scan.buffer, at)) return at;
    }
    return length;
  }

  #isAt(bytes: Uint8Array, start: number): boolean {
    return this.#places.every(({ at, byte, mask }) => ((bytes[start + at] ?? 0) | mask) === byte);
  }
}

function rarity({ byte }: TextByte): number {
  const place = COMMON.indexOf(String.fromCharCode(byte));
  return place < 0 ? COMMON.length : place;
}
