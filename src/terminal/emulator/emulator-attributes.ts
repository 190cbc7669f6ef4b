/** Bits of xterm's cell attributes: two numbers, each with a colour, its kind, and flags above. */

export const COLOR_KIND = 0x3000000;
export const COLOR_16 = 0x1000000;
export const COLOR_256 = 0x2000000;
export const COLOR_RGB = 0x3000000;
export const INDEX = 0xff;
export const RGB = 0xffffff;
export const COLOR = COLOR_KIND | RGB;

/** Flags in the foreground's number. */
export const INVERSE = 0x4000000;
export const BOLD = 0x8000000;
export const UNDERLINE = 0x10000000;
export const BLINK = 0x20000000;
export const INVISIBLE = 0x40000000;
export const STRIKETHROUGH = 0x80000000;

/** Flags in the background's number. */
export const ITALIC = 0x4000000;
export const DIM = 0x8000000;
/** The cell has extended attributes: underline style and colour, or a link. */
export const EXTENDED = 0x10000000;
export const PROTECTED = 0x20000000;
export const OVERLINE = 0x40000000;
