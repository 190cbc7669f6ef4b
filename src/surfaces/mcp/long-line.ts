/**
 * Scans a message that is too long to keep for its id and method, so that its sender gets an error.
 * Clients write the id first or last, and parameters may contain other ids: only the top-level id
 * counts.
 */
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { textOf } from "../../protocol/types/bytes.ts";
import { JSONRPC_ERRORS } from "../../protocol/types/errors.ts";
import { TOO_LONG_HINT, tooLongText } from "../../protocol/wire/json-rpc.ts";

/** Longer keys and ids are ignored. */
const MAX_WORD_BYTES = 256;
const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c];
const [BRACE, BRACKET, END_BRACE, END_BRACKET] = [0x7b, 0x5b, 0x7d, 0x5d];

export class LongLine {
  #length = 0;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** The top-level key or value that is being read. */
  #word: number[] = [];
  #key: string | null = null;
  readonly #found = new Map<string, string>();

  get length(): number {
    return this.#length;
  }

  /** Null when the id is missing or invalid. */
  get id(): string | number | null {
    const id = parsed(this.#found.get("id") ?? "");
    return typeof id === "string" || typeof id === "number" ? id : null;
  }

  get hasMethod(): boolean {
    return this.#found.has("method");
  }

  feed(bytes: Uint8Array): void {
    this.#length += bytes.length;
    for (const byte of bytes) {
      if (this.#isInString) this.#feedString(byte);
      else this.#feedStructure(byte);
    }
  }

  #feedString(byte: number): void {
    this.#keep(byte);
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#isInString = false;
  }

  #feedStructure(byte: number): void {
    if (byte === BRACE || byte === BRACKET) this.#depth++;
    else if (byte === END_BRACE || byte === END_BRACKET) this.#bracketClosed();
    else if (this.#depth === 1 && byte === COLON) this.#key = this.#takeWord();
    else if (this.#depth === 1 && byte === COMMA) this.#memberEnded();
    else {
      this.#isInString = byte === QUOTE;
      this.#keep(byte);
    }
  }

  #bracketClosed(): void {
    if (this.#depth === 1) this.#memberEnded();
    this.#depth--;
  }

  #memberEnded(): void {
    const value = this.#takeWord();
    const key = parsed(this.#key ?? "");
    if (key === "id" || key === "method") this.#found.set(key, value);
    this.#key = null;
  }

  #keep(byte: number): void {
    if (this.#depth === 1 && this.#word.length <= MAX_WORD_BYTES) this.#word.push(byte);
  }

  #takeWord(): string {
    const word = textOf(Uint8Array.from(this.#word));
    this.#word = [];
    return word;
  }
}

/** Null for a notification or an answer, which nothing waits for. */
export function lineTooLongAnswer(line: LongLine, most: number): JSONRPCMessage | null {
  const { id, hasMethod, length } = line;
  if (id === null || !hasMethod) return null;
  // Hosts show the message, and not always its data.
  const message = `${tooLongText("this call", length, most)}: ${TOO_LONG_HINT}`;
  const error = { code: JSONRPC_ERRORS.request, message, data: { code: "EBADARGS", details: {}, hint: TOO_LONG_HINT } };
  return { jsonrpc: "2.0", id, error };
}

function parsed(word: string): unknown {
  try {
    return JSON.parse(word);
  } catch {
    return null;
  }
}
