/**
 * Applies SGR as xterm does (InputHandler.charAttributes), except for underline styles and colours.
 */
import {
  BLINK,
  BOLD,
  COLOR,
  COLOR_16,
  COLOR_256,
  COLOR_KIND,
  COLOR_RGB,
  DIM,
  INDEX,
  INVERSE,
  INVISIBLE,
  ITALIC,
  OVERLINE,
  RGB,
  STRIKETHROUGH,
  UNDERLINE,
} from "./emulator-attributes.ts";
import type { Attributes } from "./emulator-core.ts";

/**
 * For each single parameter: the bits it clears and then sets in the foreground's and the
 * background's number.
 */
const TABLE_SIZE = 108;
const [clearsForeground, setsForeground, clearsBackground, setsBackground] = [table(), table(), table(), table()];

clearsForeground[0] = clearsBackground[0] = ~0;
setsForeground.set([BOLD, 0, 0, 0, BLINK, 0, INVERSE, INVISIBLE, STRIKETHROUGH], 1);
setsBackground.set([DIM, ITALIC], 2);
setsBackground[53] = clearsBackground[55] = OVERLINE;
clearsForeground.set([BOLD, 0, UNDERLINE, BLINK, 0, INVERSE, INVISIBLE, STRIKETHROUGH], 22);
clearsBackground.set([DIM, ITALIC], 22);
clearsForeground[39] = clearsBackground[49] = COLOR;
for (const [first, bright] of [
  [30, 0],
  [90, 8],
] as const) {
  for (let color = 0; color < 8; color++) {
    clearsForeground[first + color] = clearsBackground[first + 10 + color] = COLOR_KIND | INDEX;
    setsForeground[first + color] = setsBackground[first + 10 + color] = COLOR_16 | bright | color;
  }
}

function table(): Int32Array {
  return new Int32Array(TABLE_SIZE);
}

/** Returns false and changes nothing when another parameter is among them. */
export function applyColors(attributes: Attributes, values: Int32Array, count: number): boolean {
  let { fg, bg } = attributes;
  for (let at = 0; at < count; at++) {
    const value = values[at] ?? 0;
    if (value === 38 || value === 48) {
      const length = lengthOfColor(values, at, count);
      if (length === 0) return false;
      if (value === 38) fg = colored(fg, values, at);
      else bg = colored(bg, values, at);
      at += length;
    } else if (isSimple(value) && (attributes.extended._ext === 0 || (value !== 0 && value !== 24))) {
      fg = (fg & ~(clearsForeground[value] ?? 0)) | (setsForeground[value] ?? 0);
      bg = (bg & ~(clearsBackground[value] ?? 0)) | (setsBackground[value] ?? 0);
    } else return false;
  }
  attributes.fg = fg;
  attributes.bg = bg;
  return true;
}

function isSimple(value: number): boolean {
  return (
    value < TABLE_SIZE &&
    ((clearsForeground[value] ?? 0) |
      (setsForeground[value] ?? 0) |
      (clearsBackground[value] ?? 0) |
      (setsBackground[value] ?? 0)) !==
      0
  );
}

/** Number of values that follow in `38;5;INDEX` and `38;2;R;G;B`; 0 otherwise. */
function lengthOfColor(values: Int32Array, at: number, count: number): number {
  const length = values[at + 1] === 5 ? 2 : values[at + 1] === 2 ? 4 : 0;
  return at + length < count ? length : 0;
}

function colored(color: number, values: Int32Array, at: number): number {
  const first = (values[at + 2] ?? 0) & 255;
  if (values[at + 1] === 5) return (color & ~(COLOR_KIND | INDEX)) | COLOR_256 | first;
  const green = (values[at + 3] ?? 0) & 255;
  const blue = (values[at + 4] ?? 0) & 255;
  return ((color | COLOR_RGB) & ~RGB) | (first << 16) | (green << 8) | blue;
}
