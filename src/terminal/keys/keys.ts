/**
 * Encodes keys by name as the bytes that xterm sends for them in the program's modes.
 *
 * A name is modifiers and a key, joined by hyphens: `ctrl-c`, `alt-shift-up`, `f5`, `enter`, `€`.
 * The spellings of tmux and emacs (`C-c`, `M-x`, `S-Tab`, `^C`) work too.
 */
import { bytesOf, joined } from "../../protocol/types/bytes.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import type { Modes } from "../../protocol/types/modes.ts";
import { nearest } from "../../protocol/methods/nearest.ts";
import { NAMED_KEYS, type NamedKey } from "./named-keys.ts";

export interface Modifiers {
  shift: boolean;
  alt: boolean;
  ctrl: boolean;
}

export type Key = Modifiers & ({ named: NamedKey } | { character: string });

const MODIFIERS: Readonly<Record<string, keyof Modifiers>> = {
  ctrl: "ctrl",
  control: "ctrl",
  c: "ctrl",
  alt: "alt",
  meta: "alt",
  option: "alt",
  m: "alt",
  a: "alt",
  shift: "shift",
  s: "shift",
};

/** All named keys by their first spelling, and common keys with Ctrl. */
export const KEY_NAMES: readonly string[] = [
  ...new Set([...NAMED_KEYS.values()].map(({ name }) => name)),
  ...Array.from("abcdefghijklmnopqrstuvwxyz\\]^_", (character) => `ctrl-${character}`),
  "ctrl-space",
  "shift-tab",
];

export function encodeKeys(names: readonly string[], modes: Modes): Uint8Array {
  return joined(names.map((name) => encodeKey(parseKey(name), modes)));
}

/** Throws EBADARGS for an unknown key. */
export function parseKey(name: string): Key {
  const modifiers: Modifiers = { shift: false, alt: false, ctrl: false };
  let rest = name;
  for (;;) {
    const [prefix, modifier] = modifierOf(rest);
    if (modifier === undefined) break;
    modifiers[modifier] = true;
    rest = rest.slice(prefix.length);
  }
  const named = NAMED_KEYS.get(rest.toLowerCase());
  if (named !== undefined) return { ...modifiers, named };
  const isCharacter = Array.from(rest).length === 1 && !/\p{Cc}/u.test(rest);
  if (!isCharacter || (modifiers.ctrl && controlCharacter(rest) === null)) throw unknownKey(name);
  return { ...modifiers, character: rest };
}

/** Also `^C`; a lone `^` is the character. */
function modifierOf(name: string): [prefix: string, modifier: keyof Modifiers | undefined] {
  if (/^\^./su.test(name)) return ["^", "ctrl"];
  const [prefix = "", word = ""] = /^([a-z]+)[-+](?=.)/isu.exec(name) ?? [];
  return [prefix, Object.hasOwn(MODIFIERS, word.toLowerCase()) ? MODIFIERS[word.toLowerCase()] : undefined];
}

function unknownKey(name: string): HoltError {
  const near = nearest(name.toLowerCase(), KEY_NAMES);
  return new HoltError("EBADARGS", `unknown key: ${JSON.stringify(name)}`, {
    hint:
      near === null
        ? "key names look like ctrl-c, alt-x, up, enter, f5; send text with --text"
        : `did you mean ${near}?`,
    details: { key: name },
  });
}

export function encodeKey(key: Key, modes: Modes): Uint8Array {
  return bytesOf("named" in key ? key.named.encode(key, modes) : encodeCharacter(key.character, key));
}

function encodeCharacter(character: string, { alt, ctrl, shift }: Modifiers): string {
  const plain = ctrl ? (controlCharacter(character) ?? character) : shift ? character.toUpperCase() : character;
  return alt ? `\x1b${plain}` : plain;
}

/** Control codes of digits typed with Ctrl, as on DEC's keyboards. */
const DIGITS: Readonly<Record<string, number>> = {
  "2": 0x00,
  "3": 0x1b,
  "4": 0x1c,
  "5": 0x1d,
  "6": 0x1e,
  "7": 0x1f,
  "8": 0x7f,
};

function controlCharacter(character: string): string | null {
  if (character === "?") return "\x7f";
  if (character === " ") return "\x00";
  if (character === "/" || character === "-") return "\x1f";
  const digit = DIGITS[character];
  if (digit !== undefined) return String.fromCharCode(digit);
  return /^[@-_a-z~`{|}]$/.test(character) ? String.fromCharCode(character.charCodeAt(0) & 0x1f) : null;
}
