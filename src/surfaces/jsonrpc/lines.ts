/** Splits a byte stream into lines of bounded length, whatever its chunking. */
import { joined } from "../../protocol/bytes.ts";

const NEWLINE = 10;

export class Lines {
  readonly #maxBytes: number;
  #parts: Uint8Array[] = [];
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that end in this chunk, without their newlines; null for one that was too long, which is not kept. */
  push(chunk: Uint8Array): (Uint8Array | null)[] {
    const lines: (Uint8Array | null)[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const last = chunk.subarray(start, end);
      start = end + 1;
      if (this.#length + last.length > this.#maxBytes) lines.push(null);
      else lines.push(this.#parts.length === 0 ? last : joined([...this.#parts, last]));
      this.#parts = [];
      this.#length = 0;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
    return lines;
  }

  /** What no newline ended: `printf '{…}' | nc -U` means it all the same. */
  rest(): Uint8Array | null {
    return this.#length > this.#maxBytes ? null : joined(this.#parts);
  }

  #keep(part: Uint8Array): void {
    this.#length += part.length;
    if (this.#length > this.#maxBytes) this.#parts = [];
    else this.#parts.push(part.slice()); // the chunk is lent
  }
}
