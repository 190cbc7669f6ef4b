/** Reads lines of xterm's buffers as runs of cells with equal style, for screens and replays. */
import {
  BLINK,
  BOLD,
  COLOR,
  COLOR_KIND,
  COLOR_RGB,
  DIM,
  EXTENDED,
  INVERSE,
  INVISIBLE,
  ITALIC,
  OVERLINE,
  PROTECTED,
  RGB,
  STRIKETHROUGH,
  UNDERLINE,
} from "./emulator-attributes.ts";
import type { CoreCell, CoreLine, Extended } from "./emulator-core.ts";
import type { Links } from "./emulator-links.ts";
import { wcwidth } from "./emulator-widths.ts";
import type { Color, ScreenRun, Style, Underline } from "../screen/screen.ts";

export interface CellRun extends ScreenRun {
  /** Never printed to, or erased: only the background shows. */
  blank: boolean;
  /** Several code points in one cell; never merged with other runs. */
  loose: boolean;
  wide: boolean;
}

const UNDERLINES: (Underline | undefined)[] = [undefined, "single", "double", "curly", "dotted", "dashed"];
/** xterm's value for SGR 59 (default underline colour). */
const NO_UNDERLINE_COLOR = 0x3ffffff;

export const PLAIN: Style = Object.freeze({});

export class CellReader {
  readonly #cell: CoreCell;
  readonly #links: Links;
  /** Interned: equal styles are one object as long as the reader lives. */
  readonly #styles = new Map<string, Style>([["{}", PLAIN]]);

  constructor(cell: CoreCell, links: Links) {
    this.#cell = cell;
    this.#links = links;
  }

  /**
   * Runs of the line with a pending wrap. Only printing causes one, so a blank at the edge counts
   * as a space.
   */
  runsToWrap(line: CoreLine | undefined, cols: number): CellRun[] {
    const runs = this.runs(line, cols);
    const last = runs.at(-1);
    // A wholly erased line can be erased again.
    if (last === undefined || !last.blank || runs.length === 1) return runs;
    last.columns -= 1;
    last.text = last.text.slice(1);
    return [...runs.filter(({ columns }) => columns > 0), { ...last, text: " ", columns: 1, blank: false }];
  }

  runs(line: CoreLine | undefined, cols: number): CellRun[] {
    const runs: CellRun[] = [];
    const data = line?._data;
    const end = data === undefined ? 0 : endOfCells(data, Math.min(cols, line?.length ?? 0));
    let last: CellRun | undefined;
    let like = -1;
    for (let column = 0; column < end; ) {
      // Fast path: most cells have the style of the cell before.
      if (last !== undefined && like >= 0 && data !== undefined && isLike(data, column, like)) {
        last.text += String.fromCodePoint((data[column * CELL] ?? 0) & CODE_POINT);
        last.columns++;
        column++;
        continue;
      }
      const run = this.#read(line, column);
      like = run.blank || run.loose || run.wide ? -1 : column;
      column += run.columns;
      if (last !== undefined && alike(last, run)) {
        last.text += run.text;
        last.columns += run.columns;
      } else {
        last = run;
        runs.push(run);
      }
    }
    return withBlanks(runs, cols - end);
  }

  style({ fg, bg, extended }: { fg: number; bg: number; extended: Extended | undefined }): Style {
    const key = `${fg},${bg},${extended?._ext ?? 0},${extended?.urlId ?? 0}`;
    let style = this.#styles.get(key);
    if (style === undefined) {
      style = this.#makeStyle(fg, bg, extended);
      const same = JSON.stringify(style);
      style = this.#styles.get(same) ?? style;
      this.#styles.set(same, style);
      this.#styles.set(key, style);
    }
    return style;
  }

  #read(line: CoreLine | undefined, column: number): CellRun {
    const cell = line === undefined || column >= line.length ? undefined : line.loadCell(column, this.#cell);
    if (cell === undefined) return { text: " ", columns: 1, style: PLAIN, blank: true, loose: false, wide: false };
    const text = cell.getChars();
    const wide = cell.getWidth() === 2;
    const extended = cell.bg & EXTENDED ? cell.extended : undefined;
    if (text === "") return this.#blank(cell, extended);
    const style = this.style({ fg: cell.fg, bg: cell.bg, extended });
    const isMark = cell.getWidth() === 0 || wcwidth(text.codePointAt(0) ?? 0) === 0;
    const loose = isMark || (text.length > 1 && text.length > ((text.codePointAt(0) ?? 0) > 0xffff ? 2 : 1));
    return { text: isMark ? ` ${text}` : text, columns: wide ? 2 : 1, style, blank: false, loose, wide };
  }

  /** An underlined or inverse blank is visible, like a space. */
  #blank({ fg, bg }: CoreCell, extended: Extended | undefined): CellRun {
    const shows = (fg & (INVERSE | UNDERLINE | STRIKETHROUGH)) !== 0 || (bg & OVERLINE) !== 0;
    const style = shows ? this.style({ fg, bg, extended }) : this.style({ fg: 0, bg: bg & COLOR, extended: undefined });
    return { text: " ", columns: 1, style, blank: !shows, loose: false, wide: false };
  }

  #makeStyle(fg: number, bg: number, extended: Extended | undefined): Style {
    const style: Style = {};
    const foreground = colorOf(fg);
    const background = colorOf(bg);
    if (foreground !== undefined) style.foreground = foreground;
    if (background !== undefined) style.background = background;
    if (fg & BOLD) style.bold = true;
    if (bg & DIM) style.dim = true;
    if (bg & ITALIC) style.italic = true;
    if (fg & UNDERLINE) style.underline = UNDERLINES[((extended?._ext ?? 0) >>> 26) & 7] ?? "single";
    if (extended !== undefined && (extended._ext & NO_UNDERLINE_COLOR) !== NO_UNDERLINE_COLOR) {
      const underline = colorOf(extended._ext);
      if (underline !== undefined) style.underline_color = underline;
    }
    if (fg & BLINK) style.blink = true;
    if (fg & INVERSE) style.inverse = true;
    if (fg & INVISIBLE) style.hidden = true;
    if (fg & STRIKETHROUGH) style.strikethrough = true;
    if (bg & OVERLINE) style.overline = true;
    if (bg & PROTECTED) style.protected = true;
    const link = extended === undefined ? undefined : this.#links.get(extended.urlId);
    if (link !== undefined) style.link = link;
    return style;
  }
}

/** Numbers per cell: content, foreground, background. */
const CELL = 3;
const CODE_POINT = 0x1fffff;
const CONTENT = 0x3fffff;
const NARROW = 0x400000;

/** End of the cells without trailing blanks that have no background. */
function endOfCells(data: Uint32Array, length: number): number {
  let end = length;
  while (end > 0 && data[end * CELL - 3] === NARROW && data[end * CELL - 2] === 0 && data[end * CELL - 1] === 0) end--;
  return end;
}

/** True for one narrow character of one code point in the style of the cell `like`. */
function isLike(data: Uint32Array, column: number, like: number): boolean {
  const [at, other] = [column * CELL, like * CELL];
  const content = data[at] ?? 0;
  const background = data[at + 2] ?? 0;
  return (
    (content & CONTENT) > 0 &&
    (content & CONTENT) <= CODE_POINT &&
    wcwidth(content & CONTENT) > 0 &&
    (content & ~CONTENT) === NARROW &&
    data[at + 1] === data[other + 1] &&
    background === data[other + 2] &&
    (background & EXTENDED) === 0
  );
}

function withBlanks(runs: CellRun[], columns: number): CellRun[] {
  if (columns === 0) return runs;
  const blanks = { text: " ".repeat(columns), columns, style: PLAIN, blank: true, loose: false, wide: false };
  const last = runs.at(-1);
  if (last === undefined || !alike(last, blanks)) runs.push(blanks);
  else {
    last.text += blanks.text;
    last.columns += columns;
  }
  return runs;
}

export function alike(one: CellRun, other: CellRun): boolean {
  return (
    one.style === other.style && one.blank === other.blank && one.wide === other.wide && !one.loose && !other.loose
  );
}

function colorOf(attribute: number): Color | undefined {
  const mode = attribute & COLOR_KIND;
  if (mode === 0) return undefined;
  if (mode === COLOR_RGB) return `#${(attribute & RGB).toString(16).padStart(6, "0")}`;
  return attribute & 0xff;
}
