/** Whether what a terminal sends is inside the brackets of a paste, wherever it is cut. */
import { bytesOf } from "../protocol/bytes.ts";

const START = bytesOf("\x1b[200~");
const END = bytesOf("\x1b[201~");

export class PasteBrackets {
  #inside = false;
  /** How much of the bracket awaited has come. Only its first byte is an ESC, so it can only begin anew there. */
  #matched = 0;

  get inside(): boolean {
    return this.#inside;
  }

  /** Outside: what was typed. */
  push(bytes: Uint8Array): void {
    for (const byte of bytes) if (this.#follows(byte, START)) this.#inside = true;
  }

  /** Inside: just past the closing bracket, or the end of the bytes. */
  end(bytes: Uint8Array, from: number): number {
    for (let at = from; at < bytes.length; at++) {
      if (!this.#follows(bytes[at] ?? 0, END)) continue;
      this.#inside = false;
      return at + 1;
    }
    return bytes.length;
  }

  #follows(byte: number, bracket: Uint8Array): boolean {
    this.#matched = byte === bracket[this.#matched] ? this.#matched + 1 : byte === bracket[0] ? 1 : 0;
    if (this.#matched < bracket.length) return false;
    this.#matched = 0;
    return true;
  }
}
