/** Messages that are lines of bounded length, whatever the chunks. */
import { joined } from "../../protocol/bytes.ts";
import type { Framed, Framing } from "./framing.ts";
import { LentBytes } from "./lent-bytes.ts";

const NEWLINE = 10;

export class Lines implements Framing {
  readonly isLines = true;
  readonly #maxBytes: number;
  readonly #lent = new LentBytes();
  /** Of the line that has begun in earlier chunks. */
  #parts: Uint8Array[] = [];
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  feed(chunk: Uint8Array): void {
    this.#lent.feed(chunk);
  }

  /** The next line; one that was too long is not kept. */
  next(): Framed | null {
    const { bytes, at } = this.#lent;
    const end = bytes.indexOf(NEWLINE, at);
    if (end < 0) {
      this.#begin(this.#lent.take(bytes.length));
      return null;
    }
    // What came as one line needs no view of its own: its newline is white space to JSON.
    const isWhole = at === 0 && end === bytes.length - 1;
    const last = isWhole ? this.#lent.all() : this.#lent.take(end);
    if (!isWhole) this.#lent.at++;
    if (this.#length + last.length - (isWhole ? 1 : 0) > this.#maxBytes) {
      this.#forget();
      return { kind: "too_long" };
    }
    if (this.#length === 0) return { kind: "message", bytes: last };
    const line = joined([...this.#parts, last]);
    this.#forget();
    return { kind: "message", bytes: line };
  }

  keep(): void {
    this.#lent.keep();
  }

  get isSpent(): boolean {
    return this.#lent.isSpent;
  }

  /** What no newline ended: `printf '{…}' | nc -U` means it all the same. */
  rest(): Framed | null {
    return this.#length === 0 || this.#length > this.#maxBytes ? null : { kind: "message", bytes: joined(this.#parts) };
  }

  frame(message: string): string {
    return `${message}\n`;
  }

  #begin(part: Uint8Array): void {
    if (part.length === 0) return;
    this.#length += part.length;
    if (this.#length > this.#maxBytes) this.#parts = [];
    else this.#parts.push(part.slice());
  }

  #forget(): void {
    this.#parts = [];
    this.#length = 0;
  }
}
