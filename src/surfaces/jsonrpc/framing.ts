/**
 * How messages are told apart on a connection: a line each, or each behind a `Content-Length` header, as editors' language servers have it. The
 * first byte decides, for both directions: a header begins with "C", and no JSON does.
 */
import { bytesOf } from "../../protocol/bytes.ts";
import { Headed } from "./headed.ts";
import { Lines } from "./lines.ts";

/** `too_long` was passed over; after `broken` nothing on the connection can be told apart any more. */
export type Framed = { kind: "message"; bytes: Uint8Array } | { kind: "too_long" } | { kind: "broken"; why: string };

export interface Framing {
  push(chunk: Uint8Array): Iterable<Framed>;
  /** The other side sends no more: what it left unfinished. */
  rest(): Framed | null;
  frame(message: string): Uint8Array;
}

const WHITE = new Set([0x20, 0x09, 0x0d, 0x0a]);

/** Decides with the first byte that says something. */
export class OpeningFraming implements Framing {
  readonly #maxBytes: number;
  #chosen: Framing | null = null;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(chunk: Uint8Array): Iterable<Framed> {
    if (this.#chosen !== null) return this.#chosen.push(chunk);
    const first = chunk.find((byte) => !WHITE.has(byte));
    if (first === undefined) return [];
    this.#chosen = isHeaderStart(first) ? new Headed(this.#maxBytes) : new LineFraming(this.#maxBytes);
    return this.#chosen.push(chunk);
  }

  rest(): Framed | null {
    return this.#chosen?.rest() ?? null;
  }

  /** Whoever has said nothing yet is spoken to in lines. */
  frame(message: string): Uint8Array {
    return this.#chosen?.frame(message) ?? lineOf(message);
  }
}

function isHeaderStart(byte: number | undefined): boolean {
  return byte === 0x43 || byte === 0x63;
}

class LineFraming implements Framing {
  readonly #lines: Lines;

  constructor(maxBytes: number) {
    this.#lines = new Lines(maxBytes);
  }

  /** A list: with a generator, a short message takes longer to be told apart than to be parsed. */
  push(chunk: Uint8Array): Framed[] {
    return this.#lines
      .push(chunk)
      .map((line) => (line === null ? { kind: "too_long" } : { kind: "message", bytes: line }));
  }

  rest(): Framed | null {
    const rest = this.#lines.rest();
    return rest === null || rest.length === 0 ? null : { kind: "message", bytes: rest };
  }

  frame(message: string): Uint8Array {
    return lineOf(message);
  }
}

function lineOf(message: string): Uint8Array {
  return bytesOf(`${message}\n`);
}
