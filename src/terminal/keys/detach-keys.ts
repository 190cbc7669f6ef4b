/**
 * Detach keys: a sequence of one or more keys that detaches the user, matched in the terminal's
 * input.
 *
 * Keys of the sequence are held back until they are decided. The first key twice sends it once; any
 * other key releases the held ones to the program. A sequence inside a bracketed paste is ignored.
 */
import { SETTINGS } from "../../protocol/types/settings.ts";
import { bytesOf, joined, textOf } from "../../protocol/types/bytes.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import { DEFAULT_MODES } from "../../protocol/types/modes.ts";
import { type KeyToken, nextKey, plainForm } from "./key-tokens.ts";
import { encodeKey, type Key, parseKey } from "./keys.ts";

export interface DetachKeys {
  /** The original text, for messages. */
  text: string;
  /** The bytes of each key in a terminal's default modes. */
  keys: readonly string[];
}

export const DEFAULT_DETACH_KEYS = SETTINGS.detach_keys.fallback;

/** Parses key names separated by blanks or, as in docker, by commas. */
export function parseDetachKeys(text: string): DetachKeys {
  const names = text.trim().split(/\s/.test(text.trim()) ? /\s+/ : ",");
  if (names.some((name) => name === "")) throw invalidKeys(text, "a key is missing");
  const keys = names.map((name) => plainForm(textOf(encodeKey(keyNamed(name, text), DEFAULT_MODES))));
  if (keys.some((key) => /[^\x00-\x7f]/.test(key))) throw invalidKeys(text, "only ASCII characters can be detach keys");
  return { text, keys };
}

/** Replaces the hint of parseKey(), which is about sending keys. */
function keyNamed(name: string, text: string): Key {
  try {
    return parseKey(name);
  } catch (error) {
    throw error instanceof HoltError ? invalidKeys(text, error.message) : error;
  }
}

function invalidKeys(text: string, why: string): HoltError {
  return new HoltError("EBADARGS", `invalid detach keys: ${JSON.stringify(text)}: ${why}`, {
    hint: `name one or more keys, as in "${DEFAULT_DETACH_KEYS}" or "ctrl-p,ctrl-q"`,
  });
}

const NOTHING = new Uint8Array(0);

export class DetachMatcher {
  readonly #keys: readonly string[];
  readonly #brackets = new PasteBrackets();
  /** Number of keys of the sequence seen so far, and their bytes. */
  #seen = 0;
  #held: Uint8Array[] = [];
  /** An incomplete key. */
  #partial: Uint8Array = NOTHING;
  #pass: Uint8Array[] = [];

  constructor({ keys }: DetachKeys) {
    this.#keys = keys;
  }

  /** `pass` is the input for the program. Input after the detach sequence is dropped. */
  push(bytes: Uint8Array): { pass: Uint8Array; detached: boolean } {
    const typed = this.#partial.length === 0 ? bytes : joined([this.#partial, bytes]);
    this.#partial = NOTHING;
    this.#pass = [];
    let detached = false;
    for (let at = 0; at < typed.length && !detached; ) {
      if (this.#brackets.inside) {
        const end = this.#brackets.end(typed, at);
        this.#pass.push(typed.subarray(at, end));
        at = end;
        continue;
      }
      const token = nextKey(typed, at);
      if (token === null) {
        this.#partial = typed.slice(at);
        break;
      }
      const part = typed.subarray(at, at + token.length);
      this.#brackets.push(part);
      detached = this.#take(token, part);
      at += token.length;
    }
    return { pass: joined(this.#pass), detached };
  }

  /** Releases the held bytes at the end of input. */
  flush(): Uint8Array {
    const held = joined([...this.#held, this.#partial]);
    this.#forget();
    this.#partial = NOTHING;
    return held;
  }

  #take({ key }: KeyToken, bytes: Uint8Array): boolean {
    if (this.#seen > 0 && key === null) this.#held.push(bytes.slice());
    else if (key === this.#keys[this.#seen]) {
      this.#seen++;
      this.#held.push(bytes.slice());
    } else if (this.#seen === 1 && key === this.#keys[0]) {
      this.#pass.push(bytes);
      this.#forget();
    } else {
      this.#pass.push(...this.#held);
      this.#forget();
      if (key === this.#keys[0]) return this.#take({ key, length: bytes.length }, bytes);
      this.#pass.push(bytes);
    }
    return this.#seen === this.#keys.length;
  }

  #forget(): void {
    this.#seen = 0;
    this.#held = [];
  }
}

const START = bytesOf("\x1b[200~");
const END = bytesOf("\x1b[201~");

/** Tracks whether input is inside a bracketed paste, across chunks. */
class PasteBrackets {
  #inside = false;
  /**
   * Bytes matched of the expected bracket. Only its first byte is ESC, so a mismatch can restart
   * only there.
   */
  #matched = 0;

  get inside(): boolean {
    return this.#inside;
  }

  /** Reads input outside a paste. */
  push(bytes: Uint8Array): void {
    for (const byte of bytes) if (this.#follows(byte, START)) this.#inside = true;
  }

  /** Reads input inside a paste; returns the end of the closing bracket, or of the bytes. */
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
