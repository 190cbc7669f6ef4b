/** Named keys and what xterm sends for each. */
import type { Modes } from "../../protocol/types/modes.ts";

export interface HeldModifiers {
  shift: boolean;
  alt: boolean;
  ctrl: boolean;
}

export interface NamedKey {
  name: string;
  encode(held: HeldModifiers, modes: Modes): string;
}

/** xterm's number for the held modifiers: 1 for none. */
function modifierNumber({ shift, alt, ctrl }: HeldModifiers): number {
  return 1 + (shift ? 1 : 0) + (alt ? 2 : 0) + (ctrl ? 4 : 0);
}

/** `CSI A`, `SS3 A` in application mode, or `CSI 1;5A` with modifiers. */
function lettered(letter: string, isApplication: (modes: Modes) => boolean): NamedKey["encode"] {
  return (held, modes) => {
    const number = modifierNumber(held);
    if (number > 1) return `\x1b[1;${number}${letter}`;
    return isApplication(modes) ? `\x1bO${letter}` : `\x1b[${letter}`;
  };
}

/** `CSI 5~`, or `CSI 5;2~` with modifiers. */
function numbered(code: number): NamedKey["encode"] {
  return (held) => {
    const number = modifierNumber(held);
    return number > 1 ? `\x1b[${code};${number}~` : `\x1b[${code}~`;
  };
}

/** A control character; Alt prefixes ESC. */
function control(plain: string, other: Partial<Record<"shift" | "ctrl", string>> = {}): NamedKey["encode"] {
  return ({ shift, alt, ctrl }) => {
    const sent = (ctrl ? other.ctrl : undefined) ?? (shift ? other.shift : undefined) ?? plain;
    return alt ? `\x1b${sent}` : sent;
  };
}

/** A character, or `SS3 j` in the keypad's application mode. */
function keypad(plain: string, letter: string): NamedKey["encode"] {
  return (held, modes) => {
    if (!modes.app_keypad) return held.alt ? `\x1b${plain}` : plain;
    const number = modifierNumber(held);
    return number > 1 ? `\x1bO${number}${letter}` : `\x1bO${letter}`;
  };
}

const onCursorKeys = (modes: Modes): boolean => modes.app_cursor_keys;
const FUNCTION_CODES = [15, 17, 18, 19, 20, 21, 23, 24];
const LAST_PLAIN_FUNCTION = 12;

/** F13 to F24 are F1 to F12 with Shift, as on xterm's keyboard. */
function functionKey(number: number): NamedKey["encode"] {
  if (number > LAST_PLAIN_FUNCTION) {
    const encode = functionKey(number - LAST_PLAIN_FUNCTION);
    return (held, modes) => encode({ ...held, shift: true }, modes);
  }
  if (number <= 4) return lettered("PQRS"[number - 1] ?? "P", () => true);
  return numbered(FUNCTION_CODES[number - 5] ?? 0);
}

/** Spellings and encoders; the first spelling is the name. */
const ROWS: readonly [spellings: string, encode: NamedKey["encode"]][] = [
  ["enter return ret cr", control("\r")],
  ["tab", control("\t", { shift: "\x1b[Z" })],
  ["backtab btab", control("\x1b[Z")],
  ["escape esc", control("\x1b")],
  ["space spc", control(" ", { ctrl: "\x00" })],
  ["comma", control(",")],
  ["backspace bspace bs", control("\x7f", { ctrl: "\x08" })],
  ["up arrow-up", lettered("A", onCursorKeys)],
  ["down arrow-down", lettered("B", onCursorKeys)],
  ["right arrow-right", lettered("C", onCursorKeys)],
  ["left arrow-left", lettered("D", onCursorKeys)],
  ["home", lettered("H", onCursorKeys)],
  ["end", lettered("F", onCursorKeys)],
  ["insert ins ic", numbered(2)],
  ["delete del dc", numbered(3)],
  ["page-up pageup pgup ppage prior", numbered(5)],
  ["page-down pagedown pgdn pgdown npage next", numbered(6)],
  ...Array.from({ length: 24 }, (_, index): [string, NamedKey["encode"]] => [`f${index + 1}`, functionKey(index + 1)]),
  ...Array.from("0123456789", (digit, index): [string, NamedKey["encode"]] => [
    `keypad-${digit} kp-${digit} kp${digit}`,
    keypad(digit, "pqrstuvwxy"[index] ?? "p"),
  ]),
  ["keypad-enter kp-enter kpenter", keypad("\r", "M")],
  ["keypad-multiply kp-multiply kp*", keypad("*", "j")],
  ["keypad-add kp-add kp+", keypad("+", "k")],
  ["keypad-comma kp-comma kp,", keypad(",", "l")],
  ["keypad-subtract kp-subtract kp-", keypad("-", "m")],
  ["keypad-decimal kp-decimal kp.", keypad(".", "n")],
  ["keypad-divide kp-divide kp/", keypad("/", "o")],
  ["keypad-equal kp-equal kp=", keypad("=", "X")],
];

/** By spelling, in lower case. */
export const NAMED_KEYS: ReadonlyMap<string, NamedKey> = new Map(
  ROWS.flatMap(([spellings, encode]) => {
    const [name = "", ...others] = spellings.split(" ");
    const key: NamedKey = { name, encode };
    return [name, ...others].map((spelling): [string, NamedKey] => [spelling, key]);
  }),
);
