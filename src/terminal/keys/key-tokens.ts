/**
 * Splits a terminal's input into keys.
 *
 * A key is identified by what a terminal sends for it by default, so that `ctrl-\` is the same key
 * in the encodings of kitty's protocol (`CSI 92;5u`) and xterm's modifyOtherKeys (`CSI 27;5;92~`),
 * which a program may have switched on.
 */
import { DEFAULT_MODES } from "../../protocol/types/modes.ts";
import { textOf } from "../../protocol/types/bytes.ts";
import { encodeKey } from "./keys.ts";

export interface KeyToken {
  length: number;
  /**
   * The bytes in default modes; null for input that is no key press: a release, a modifier alone.
   */
  key: string | null;
}

const ESC = 0x1b;
const BRACKET = 0x5b;
const LETTER_O = 0x4f;
const LETTER_M = 0x4d;
/** Longer than any key's sequence. */
const MAX_LENGTH = 64;
const MOUSE_BYTES = 3;

/**
 * Null when the bytes end inside a sequence. A lone ESC or `ESC [` at the end counts as keys:
 * waiting would delay Escape.
 */
export function nextKey(bytes: Uint8Array, from: number): KeyToken | null {
  const first = bytes[from] ?? 0;
  const second = bytes[from + 1];
  if (first !== ESC || second === undefined) return { length: 1, key: String.fromCharCode(first) };
  const third = bytes[from + 2];
  if (second === LETTER_O && third !== undefined)
    return { length: 3, key: plainForm(`\x1bO${String.fromCharCode(third)}`) };
  if (second !== BRACKET) return altKey(second);
  return third === undefined ? { length: 2, key: "\x1b[" } : sequenceKey(bytes, from);
}

/** Maps a key's application-mode form to its default form. */
export function plainForm(key: string): string {
  return key.replace(/^\x1bO(?=.)/s, "\x1b[");
}

/** ESC ESC: the first is the Escape key, the second begins something else. */
function altKey(second: number): KeyToken {
  return second === ESC ? { length: 1, key: "\x1b" } : { length: 2, key: `\x1b${String.fromCharCode(second)}` };
}

function sequenceKey(bytes: Uint8Array, from: number): KeyToken | null {
  const longest = Math.min(bytes.length, from + MAX_LENGTH);
  for (let at = from + 2; at < longest; at++) {
    const byte = bytes[at] ?? 0;
    if (byte >= 0x40 && byte < 0x7f) {
      const length = at + 1 - from + (byte === LETTER_M && at === from + 2 ? MOUSE_BYTES : 0);
      if (from + length > bytes.length) return null;
      return { length, key: decoded(textOf(bytes.subarray(from, at + 1))) };
    }
    if (byte < 0x20 || byte >= 0x7f) return { length: 1, key: "\x1b" };
  }
  return longest === bytes.length ? null : { length: 1, key: "\x1b" };
}

const KITTY = /^\x1b\[(\d+)(?::[\d:]*)?(?:;(\d*)(?::(\d+))?)?(?:;[\d:]*)?u$/;
const OTHER_KEYS = /^\x1b\[27;(\d+);(\d+)~$/;
/** Cursor and function keys with kitty's event type. */
const WITH_EVENT = /^\x1b\[\d+;\d*:(\d+)[A-Z~]$/;
const RELEASED = "3";
const SHIFT = 1;
const ALT = 2;
const CTRL = 4;
/** Start of kitty's numbers for keys without a character. */
const PRIVATE_USE = 57_344;

function decoded(sequence: string): string | null {
  const [, code, modifiers = "", event] = KITTY.exec(sequence) ?? [];
  if (code !== undefined) return event === RELEASED ? null : characterKey(Number(code), Number(modifiers || 1));
  const [, held, character] = OTHER_KEYS.exec(sequence) ?? [];
  if (character !== undefined) return characterKey(Number(character), Number(held));
  return WITH_EVENT.exec(sequence)?.[1] === RELEASED ? null : sequence;
}

function characterKey(code: number, modifiers: number): string | null {
  if (code >= PRIVATE_USE || code === 0) return null;
  const held = modifiers - 1;
  const key = {
    character: String.fromCodePoint(code),
    shift: (held & SHIFT) !== 0,
    alt: (held & ALT) !== 0,
    ctrl: (held & CTRL) !== 0,
  };
  return textOf(encodeKey(key, DEFAULT_MODES));
}
