/**
 * Character widths. xterm's own tables are those of Unicode 6, without emoji. Each code point
 * counts by itself, as in most terminals: every emoji of a ZWJ sequence takes two columns.
 */
import type { IUnicodeVersionProvider } from "@xterm/headless";
import { characterWidth } from "../text/width.ts";

const UNKNOWN = 0xff;
const PLANES_KEPT = 2 * 0x10000;
const SOFT_HYPHEN = 0xad;
const known = new Uint8Array(PLANES_KEPT).fill(UNKNOWN);
known[SOFT_HYPHEN] = 1;

export function wcwidth(codePoint: number): 0 | 1 | 2 {
  if (codePoint < 0x7f) return codePoint < 0x20 ? 0 : 1;
  if (codePoint < 0xa0) return 0;
  const width = known[codePoint];
  if (width !== undefined && width !== UNKNOWN) return width as 0 | 1 | 2;
  const measured = Math.min(2, characterWidth(codePoint)) as 0 | 1 | 2;
  if (codePoint < PLANES_KEPT) known[codePoint] = measured;
  return measured;
}

/**
 * xterm's join state: bit 0 joins the character before, bits 1 and 2 are the width, higher bits are
 * holt's.
 */
const JOINS = 1;
const WIDTH = 6;
const ALONE = 8;

/**
 * A mark joins the character before it, also after a sequence; xterm's own provider would give it a
 * cell without width. At the left edge it stands alone.
 */
export function widthsFor(column: () => number): IUnicodeVersionProvider {
  return {
    version: "holt",
    wcwidth,
    charProperties(codePoint: number, preceding: number): number {
      if (codePoint >= 0x20 && codePoint < 0x7f) return 2;
      const width = wcwidth(codePoint);
      if (width > 0) return width * 2;
      return column() === 0 ? ALONE | 2 : (preceding & (WIDTH | ALONE)) | JOINS;
    },
  };
}

/** True when a character was printed last, which REP can repeat. */
export function isAfterCharacter(joinState: number): boolean {
  return (joinState & WIDTH) !== 0 && (joinState & ALONE) === 0;
}
