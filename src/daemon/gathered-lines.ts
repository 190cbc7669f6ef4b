/**
 * Lines that are gathered as bytes, where they are written from. Of tens of thousands a second, each a text of many pieces, the collector would have more to do than whoever
 * makes them.
 */
import { bytesOf } from "../protocol/bytes.ts";

const ROOM = 128 * 1024;
/** Past that the runtime's own way is the quicker one. */
const SHORT = 32;
const BASE = 36;
const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz";
const encoder = new TextEncoder();

export class GatheredLines {
  readonly #taken: (lines: Uint8Array) => void;
  readonly #bytes = new Uint8Array(ROOM);
  #length = 0;

  /** Told of what was gathered, which is lent, when there is no room for more. */
  constructor(taken: (lines: Uint8Array) => void) {
    this.#taken = taken;
  }

  /** Before a line of so many bytes at most: that it is not cut. */
  need(bytes: number): void {
    if (this.#length + bytes > ROOM) this.write();
  }

  bytes(part: Uint8Array): void {
    this.#bytes.set(part, this.#length);
    this.#length += part.length;
  }

  /** Of characters that are one byte each. */
  ascii(part: string): void {
    if (part.length > SHORT) this.#length += encoder.encodeInto(part, this.#bytes.subarray(this.#length)).written;
    else for (let i = 0; i < part.length; i++) this.#bytes[this.#length++] = part.charCodeAt(i);
  }

  /** A whole number, in base 36. */
  digits(value: number): void {
    let end = this.#length + 1;
    for (let left = value; left >= BASE; left = Math.floor(left / BASE)) end++;
    this.#length = end;
    for (let left = value; end-- > 0; left = Math.floor(left / BASE)) {
      this.#bytes[end] = DIGITS.charCodeAt(left % BASE);
      if (left < BASE) return;
    }
  }

  /** A whole line, however long. */
  text(line: string): void {
    const bytes = bytesOf(line);
    this.need(bytes.length);
    if (bytes.length <= ROOM) this.bytes(bytes);
    else this.#taken(bytes);
  }

  write(): void {
    if (this.#length > 0) this.#taken(this.#bytes.subarray(0, this.#length));
    this.#length = 0;
  }
}
