/**
 * The keys by which a person leaves a session: a sequence of one or more, found in what the terminal sends.
 *
 * The keys of the sequence are held back until it is clear what they are. The first key twice sends it once; followed
 * by anything else, all that was held goes to the program. A bracketed paste that contains the sequence is a paste.
 */
import { SETTINGS } from "../../protocol/types/settings.ts";
import { bytesOf, joined, textOf } from "../../protocol/types/bytes.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import { DEFAULT_MODES } from "../../protocol/types/modes.ts";
import { type KeyToken, nextKey, plainForm } from "./key-tokens.ts";
import { encodeKey, type Key, parseKey } from "./keys.ts";

export interface DetachKeys {
  /** As it was given, for messages. */
  text: string;
  /** Each as a plain terminal sends it. */
  keys: readonly string[];
}

export const DEFAULT_DETACH_KEYS = SETTINGS.detach_keys.fallback;

/** Names of keys, separated by blanks or, as docker has it, by commas. */
export function parseDetachKeys(text: string): DetachKeys {
  const names = text.trim().split(/\s/.test(text.trim()) ? /\s+/ : ",");
  if (names.some((name) => name === "")) throw unusable(text, "a key is missing");
  const keys = names.map((name) => plainForm(textOf(encodeKey(keyNamed(name, text), DEFAULT_MODES))));
  if (keys.some((key) => /[^\x00-\x7f]/.test(key))) throw unusable(text, "only ASCII characters can be detach keys");
  return { text, keys };
}

/** What is said of an unknown key elsewhere is advice on typing. */
function keyNamed(name: string, text: string): Key {
  try {
    return parseKey(name);
  } catch (error) {
    throw error instanceof HoltError ? unusable(text, error.message) : error;
  }
}

function unusable(text: string, why: string): HoltError {
  return new HoltError("EBADARGS", `invalid detach keys: ${JSON.stringify(text)}: ${why}`, {
    hint: `name one or more keys, as in "${DEFAULT_DETACH_KEYS}" or "ctrl-p,ctrl-q"`,
  });
}

const NOTHING = new Uint8Array(0);

export class DetachMatcher {
  readonly #keys: readonly string[];
  readonly #brackets = new PasteBrackets();
  /** How many keys of the sequence were seen, and their bytes. */
  #seen = 0;
  #held: Uint8Array[] = [];
  /** The beginning of a key whose end has not come. */
  #partial: Uint8Array = NOTHING;
  #pass: Uint8Array[] = [];

  constructor({ keys }: DetachKeys) {
    this.#keys = keys;
  }

  /** What the program gets. Once detached, what was typed after the sequence is for nobody. */
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

  /** What is still held, when no more comes. */
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

/** Whether what a terminal sends is inside the brackets of a paste, wherever it is cut. */
class PasteBrackets {
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
