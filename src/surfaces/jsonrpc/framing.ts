/**
 * How messages are told apart on a connection: a line each, or each behind a `Content-Length` header, as editors' language servers have it. The
 * first byte decides, for both directions: a header begins with "C", and no JSON does.
 *
 * Messages are asked for one by one. What is not asked for stays bytes, so that a flood costs the memory of what was read of it and no more.
 */
import { Headed } from "./headed.ts";
import { Lines } from "./lines.ts";

/** `too_long` was passed over; after `broken` nothing on the connection can be told apart any more. */
export type Framed = { kind: "message"; bytes: Uint8Array } | { kind: "too_long" } | { kind: "broken"; why: string };

export interface Framing {
  /** The chunk is lent: whoever stops asking before there is no next message says `keep`. */
  feed(chunk: Uint8Array): void;
  /** Its bytes, which may have white space around them, are good until the next call. Null where no message is whole yet. */
  next(): Framed | null;
  keep(): void;
  /** All that was fed has been looked at: there is no next message. */
  readonly isSpent: boolean;
  /** The other side sends no more: what it left unfinished. */
  rest(): Framed | null;
  frame(message: string): string;
  /** Whether that is a line. */
  readonly isLines: boolean;
}

const WHITE = new Set([0x20, 0x09, 0x0d, 0x0a]);

/** Decides with the first byte that says something. */
export class OpeningFraming implements Framing {
  readonly #maxBytes: number;
  #chosen: Framing | null = null;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  feed(chunk: Uint8Array): void {
    const first = this.#chosen === null ? chunk.find((byte) => !WHITE.has(byte)) : undefined;
    if (this.#chosen === null && first === undefined) return;
    this.#chosen ??= isHeaderStart(first) ? new Headed(this.#maxBytes) : new Lines(this.#maxBytes);
    this.#chosen.feed(chunk);
  }

  next(): Framed | null {
    return this.#chosen === null ? null : this.#chosen.next();
  }

  keep(): void {
    this.#chosen?.keep();
  }

  get isSpent(): boolean {
    return this.#chosen === null || this.#chosen.isSpent;
  }

  rest(): Framed | null {
    return this.#chosen?.rest() ?? null;
  }

  get isLines(): boolean {
    return this.#chosen === null || this.#chosen.isLines;
  }

  /** Whoever has said nothing yet is spoken to in lines. */
  frame(message: string): string {
    return this.#chosen === null ? `${message}\n` : this.#chosen.frame(message);
  }
}

function isHeaderStart(byte: number | undefined): boolean {
  return byte === 0x43 || byte === 0x63;
}
