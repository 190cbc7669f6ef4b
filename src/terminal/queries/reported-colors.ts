/**
 * The colours that a session's terminal reports: xterm's palette, with the foreground and
 * background of the terminal that started it.
 */
export type Rgb = readonly [red: number, green: number, blue: number];

export interface TerminalColors {
  foreground: Rgb;
  background: Rgb;
  cursor: Rgb;
}

const BASE: readonly Rgb[] = [
  [0x00, 0x00, 0x00],
  [0xcd, 0x00, 0x00],
  [0x00, 0xcd, 0x00],
  [0xcd, 0xcd, 0x00],
  [0x00, 0x00, 0xee],
  [0xcd, 0x00, 0xcd],
  [0x00, 0xcd, 0xcd],
  [0xe5, 0xe5, 0xe5],
  [0x7f, 0x7f, 0x7f],
  [0xff, 0x00, 0x00],
  [0x00, 0xff, 0x00],
  [0xff, 0xff, 0x00],
  [0x5c, 0x5c, 0xff],
  [0xff, 0x00, 0xff],
  [0x00, 0xff, 0xff],
  [0xff, 0xff, 0xff],
];
const CUBE_LEVELS = [0x00, 0x5f, 0x87, 0xaf, 0xd7, 0xff];
const CUBE_START = 16;
const GREY_START = 232;
export const PALETTE_SIZE = 256;

const LIGHT_GREY: Rgb = [0xe5, 0xe5, 0xe5];
const BLACK: Rgb = [0x00, 0x00, 0x00];

/** xterm's 256 colours. */
export function paletteRgb(index: number): Rgb {
  const base = BASE[index];
  if (base !== undefined) return base;
  if (index >= GREY_START) {
    const level = 8 + 10 * (index - GREY_START);
    return [level, level, level];
  }
  const cube = index - CUBE_START;
  const level = (position: number): number => CUBE_LEVELS[position % 6] ?? 0;
  return [level(Math.floor(cube / 36)), level(Math.floor(cube / 6)), level(cube)];
}

/**
 * `COLORFGBG` is "foreground;background" or, in rxvt, "foreground;default;background": numbers of
 * the 16 base colours.
 */
export function colorsFrom(colorfgbg: string | undefined): TerminalColors {
  const parts = (colorfgbg ?? "").split(";");
  const foreground = baseColor(parts[0]) ?? LIGHT_GREY;
  const background = baseColor(parts.at(-1)) ?? BLACK;
  if (parts.length < 2 || foreground === background) {
    return { foreground: LIGHT_GREY, background: BLACK, cursor: LIGHT_GREY };
  }
  return { foreground, background, cursor: foreground };
}

function baseColor(text: string | undefined): Rgb | undefined {
  return text !== undefined && /^\d{1,2}$/.test(text) ? BASE[Number(text)] : undefined;
}

/** The form in which terminals report colours: `rgb:` and 16 bits per channel. */
export function reportedColor(color: Rgb): string {
  return `rgb:${color.map((level) => level.toString(16).padStart(2, "0").repeat(2)).join("/")}`;
}

export function isDark([red, green, blue]: Rgb): boolean {
  return 0.299 * red + 0.587 * green + 0.114 * blue < 128;
}

/**
 * Parses X's `rgb:r/g/b` with one to four digits each, or `#` with three equal parts; null for
 * anything else, such as a name.
 */
export function parsedColor(text: string): Rgb | null {
  const parts =
    /^rgb:([0-9a-f]{1,4})\/([0-9a-f]{1,4})\/([0-9a-f]{1,4})$/i.exec(text) ??
    /^#([0-9a-f]{1})([0-9a-f]{1})([0-9a-f]{1})$/i.exec(text) ??
    /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(text) ??
    /^#([0-9a-f]{3})([0-9a-f]{3})([0-9a-f]{3})$/i.exec(text) ??
    /^#([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})$/i.exec(text);
  if (parts === null) return null;
  const [, red = "", green = "", blue = ""] = parts;
  return [toByte(red), toByte(green), toByte(blue)];
}

function toByte(digits: string): number {
  return Math.round((parseInt(digits, 16) * 255) / (16 ** digits.length - 1));
}
