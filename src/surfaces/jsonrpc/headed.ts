/** Messages behind `Content-Length: N` and an empty line. A header that cannot be read ends the conversation: where the next begins is unknown. */
import { joined, textOf } from "../../protocol/bytes.ts";
import type { Framed, Framing } from "./framing.ts";
import { LentBytes } from "./lent-bytes.ts";

const MAX_HEADER_BYTES = 4096;
const NEWLINE = 10;
const CARRIAGE_RETURN = 13;
const MOST_DIGITS = 15;

export class Headed implements Framing {
  readonly isLines = false;
  readonly #maxBytes: number;
  readonly #lent = new LentBytes();
  /** Of the header, while it is read; of the body, after it. */
  #parts: Uint8Array[] = [];
  #length = 0;
  /** What is left to come of the body; null in the header. */
  #missing: number | null = null;
  #isTooLong = false;
  #isBroken = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  feed(chunk: Uint8Array): void {
    this.#lent.feed(chunk);
  }

  next(): Framed | null {
    let framed: Framed | null = null;
    while (framed === null && !this.#isBroken && (this.#lent.at < this.#lent.bytes.length || this.#missing === 0))
      framed = this.#missing === null ? this.#header() : this.#body(this.#missing);
    return framed;
  }

  keep(): void {
    this.#lent.keep();
  }

  get isSpent(): boolean {
    return this.#isBroken || (this.#lent.isSpent && this.#missing !== 0);
  }

  rest(): Framed | null {
    if (this.#isBroken || (this.#missing === null && this.#length === 0)) return null;
    return { kind: "broken", why: "the connection ended within a message" };
  }

  frame(message: string): string {
    return `Content-Length: ${Buffer.byteLength(message)}\r\n\r\n${message}`;
  }

  /** Null where the body is next, or the header goes on. */
  #header(): Framed | null {
    const bytes = this.#lent.bytes.subarray(this.#lent.at);
    let end = 0;
    while (end < bytes.length && !this.#endsAt(bytes, end)) end++;
    this.#lent.at += Math.min(end + 1, bytes.length);
    if (this.#length === 0 && end < bytes.length && isBlank(bytes.subarray(0, end + 1))) return null;
    this.#keep(bytes.subarray(0, end + 1));
    if (this.#length > MAX_HEADER_BYTES) return this.#broken(`the header is longer than ${MAX_HEADER_BYTES} bytes`);
    if (end === bytes.length) return null;
    const length = contentLength(textOf(joined(this.#parts)));
    this.#parts = [];
    this.#length = 0;
    if (typeof length === "string") return this.#broken(length);
    this.#missing = length;
    this.#isTooLong = length > this.#maxBytes;
    return this.#isTooLong ? { kind: "too_long" } : null; // who sends that much need not wait for the end of it
  }

  /** Whether the newline there is the second of two, with nothing but a return between them. */
  #endsAt(bytes: Uint8Array, at: number): boolean {
    if (bytes[at] !== NEWLINE) return false;
    const before = (back: number): number | undefined => bytes[at - back] ?? this.#kept(at - back);
    const last = before(1) === CARRIAGE_RETURN ? before(2) : before(1);
    return last === NEWLINE || last === undefined;
  }

  /** Of what came in earlier chunks, counted back from their end. */
  #kept(negative: number): number | undefined {
    for (let i = this.#parts.length - 1, left = -negative; i >= 0; i--) {
      const part = this.#parts[i];
      if (part === undefined) return undefined;
      if (left <= part.length) return part[part.length - left];
      left -= part.length;
    }
    return undefined;
  }

  #body(missing: number): Framed | null {
    const { bytes, at } = this.#lent;
    const taken = this.#lent.take(Math.min(bytes.length, at + missing));
    if (!this.#isTooLong) this.#keep(taken);
    this.#missing = missing - taken.length;
    if (this.#missing > 0) return null;
    this.#missing = null;
    const body = joined(this.#parts);
    this.#parts = [];
    this.#length = 0;
    return this.#isTooLong ? null : { kind: "message", bytes: body };
  }

  #keep(part: Uint8Array): void {
    if (part.length === 0) return;
    this.#parts.push(part.slice()); // the chunk is lent
    this.#length += part.length;
  }

  #broken(why: string): Framed {
    this.#isBroken = true;
    this.#parts = [];
    return { kind: "broken", why };
  }
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === NEWLINE || byte === CARRIAGE_RETURN || byte === 0x20 || byte === 0x09);
}

/** The number, or why there is none. */
function contentLength(header: string): number | string {
  let length: number | null = null;
  for (const line of header.split(/\r?\n/)) {
    if (line.trim() === "") continue;
    const [, name, value = ""] = /^([!-9;-~]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? [];
    if (name === undefined) return `${JSON.stringify(line.slice(0, 80))} is no header`;
    if (name.toLowerCase() !== "content-length") continue;
    if (!/^\d+$/.test(value) || value.length > MOST_DIGITS)
      return `Content-Length ${JSON.stringify(value.slice(0, 80))} is no number of bytes`;
    if (length !== null && length !== Number(value)) return "two headers name different lengths";
    length = Number(value);
  }
  return length ?? "there is no Content-Length header";
}
