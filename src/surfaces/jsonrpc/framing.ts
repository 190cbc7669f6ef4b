/**
 * Splits a connection's bytes into messages: one per line, or behind `Content-Length` headers as in
 * the Language Server Protocol. The first byte decides for both directions: a header begins with
 * "C", JSON never does.
 *
 * Messages are taken one at a time. The remainder stays bytes, so a flood costs only the memory of
 * what was read of it.
 */
import { textOf } from "../../protocol/types/bytes.ts";

/** `too_long` is skipped; after `broken` the connection cannot be parsed any further. */
export type Framed = { kind: "message"; bytes: Uint8Array } | { kind: "too_long" } | { kind: "broken"; why: string };

const MAX_HEADER_BYTES = 4096;
const MAX_DIGITS = 15;
const NEWLINE = 10;
const WHITE = new Set([0x20, 0x09, 0x0d, NEWLINE]);
const EMPTY = new Uint8Array(0);

export class Framing {
  readonly #maxBytes: number;
  /** Unknown until the first byte that is not white space. */
  #kind: "unknown" | "lines" | "headers" | "broken" = "unknown";
  /** Bytes from #start to #end are not taken yet. */
  #buffer: Uint8Array = EMPTY;
  #start = 0;
  #end = 0;
  /** There is no newline before this offset. */
  #searched = 0;
  /** Remaining bytes of the body at #start; null within a header. */
  #body: number | null = null;
  /** The remainder of this line or body is dropped. */
  #isTooLong = false;
  #isSpent = true;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Copies the chunk. */
  feed(chunk: Uint8Array): void {
    if (this.#kind === "unknown") {
      const first = chunk.find((byte) => !WHITE.has(byte));
      if (first === undefined) return;
      this.#kind = first === 0x43 || first === 0x63 ? "headers" : "lines";
    }
    this.#append(chunk);
    this.#isSpent = false;
  }

  /**
   * The next message, possibly with white space around it; null when none is complete. Its bytes
   * are valid until the next feed().
   */
  next(): Framed | null {
    let framed: Framed | null = null;
    if (this.#kind === "lines") framed = this.#line();
    else if (this.#kind === "headers") framed = this.#headerFramed();
    if (this.#start === this.#end) this.#skipTo(this.#end);
    this.#isSpent = framed === null || this.#start === this.#end;
    return framed;
  }

  /** No complete message is left. */
  get isSpent(): boolean {
    return this.#isSpent;
  }

  /**
   * The incomplete message at the end of input. `printf '{…}' | nc -U` sends a line without a
   * newline.
   */
  unfinished(): Framed | null {
    if (this.#kind === "headers" && (this.#body !== null || this.#start < this.#end))
      return this.#fail("the connection ended within a message");
    if (this.#kind !== "lines" || this.#start === this.#end) return null;
    return { kind: "message", bytes: this.#take(this.#end) };
  }

  /** A message in the client's framing; in lines before the client has sent anything. */
  frame(message: string): string {
    if (this.#kind === "unknown" || this.#kind === "lines") return `${message}\n`;
    return `Content-Length: ${Buffer.byteLength(message)}\r\n\r\n${message}`;
  }

  #line(): Framed | null {
    const newline = this.#buffer.indexOf(NEWLINE, this.#searched);
    const isWhole = newline >= 0 && newline < this.#end;
    const end = isWhole ? newline : this.#end;
    this.#isTooLong ||= end - this.#start > this.#maxBytes;
    if (!isWhole) {
      this.#searched = this.#end;
      if (this.#isTooLong) this.#skipTo(this.#end);
      return null;
    }
    const bytes = this.#take(newline + 1);
    const isTooLong = this.#isTooLong;
    this.#isTooLong = false;
    return isTooLong ? { kind: "too_long" } : { kind: "message", bytes: bytes.subarray(0, -1) };
  }

  #headerFramed(): Framed | null {
    for (;;) {
      if (this.#body === null) {
        const header = this.#header();
        if (header === null) return null;
        if (typeof header === "string") return this.#fail(header);
        this.#body = header.length;
        this.#isTooLong = header.length > this.#maxBytes;
        // Reported before the end of the body, so that the sender gets the error at once.
        if (this.#isTooLong) return { kind: "too_long" };
      }
      const there = Math.min(this.#body, this.#end - this.#start);
      if (!this.#isTooLong && there < this.#body) return null;
      const bytes = this.#take(this.#start + there);
      this.#body -= there;
      if (this.#body > 0) return null;
      this.#body = null;
      if (!this.#isTooLong) return { kind: "message", bytes };
    }
  }

  /** The length, or an error message. Null when the header is incomplete. */
  #header(): { length: number } | string | null {
    while (this.#start < this.#end && WHITE.has(this.#buffer[this.#start] ?? 0)) this.#start++;
    const limit = Math.min(this.#end, this.#start + MAX_HEADER_BYTES);
    let end = this.#start;
    while (end < limit && !this.#isHeaderEnd(end)) end++;
    if (end < limit) return contentLength(textOf(this.#take(end + 1)));
    return this.#end > limit ? `the header is longer than ${MAX_HEADER_BYTES} bytes` : null;
  }

  /** True when the newline at this offset ends an empty line. */
  #isHeaderEnd(at: number): boolean {
    if (this.#buffer[at] !== NEWLINE) return false;
    const before = this.#buffer[at - 1] === 0x0d ? at - 2 : at - 1;
    return before > this.#start && this.#buffer[before] === NEWLINE;
  }

  #fail(why: string): Framed {
    this.#kind = "broken";
    this.#skipTo(this.#end);
    return { kind: "broken", why };
  }

  #take(end: number): Uint8Array {
    const taken = this.#buffer.subarray(this.#start, end);
    this.#skipTo(end);
    return taken;
  }

  #skipTo(start: number): void {
    this.#start = start;
    this.#searched = start;
    if (start < this.#end) return;
    this.#buffer = EMPTY;
    this.#start = this.#end = this.#searched = 0;
  }

  /** The buffer doubles, so that a long message in small chunks is not copied for each chunk. */
  #append(chunk: Uint8Array): void {
    const kept = this.#end - this.#start;
    if (kept === 0) this.#buffer = chunk.slice();
    else if (this.#end + chunk.length > this.#buffer.length) {
      const larger = new Uint8Array(2 * (kept + chunk.length));
      larger.set(this.#buffer.subarray(this.#start, this.#end));
      larger.set(chunk, kept);
      this.#buffer = larger;
    } else {
      this.#buffer.set(chunk, this.#end);
      this.#end += chunk.length;
      return;
    }
    this.#searched = kept === 0 ? 0 : this.#searched - this.#start;
    this.#start = 0;
    this.#end = kept + chunk.length;
  }
}

function contentLength(header: string): { length: number } | string {
  let length: number | null = null;
  for (const line of header.split(/\r?\n/)) {
    if (line.trim() === "") continue;
    const [, name, value = ""] = /^([!-9;-~]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? [];
    if (name === undefined) return `invalid header: ${JSON.stringify(line.slice(0, 80))}`;
    if (name.toLowerCase() !== "content-length") continue;
    if (!/^\d+$/.test(value) || value.length > MAX_DIGITS)
      return `invalid Content-Length: ${JSON.stringify(value.slice(0, 80))}`;
    if (length !== null && length !== Number(value)) return "two Content-Length headers differ";
    length = Number(value);
  }
  return length === null ? "missing Content-Length header" : { length };
}
