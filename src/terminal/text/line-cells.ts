/**
 * A line as a terminal keeps it: a row of cells and a write position. Empty cells follow a glyph of
 * several columns (a wide character, a tab), which becomes blank when a part of it is overwritten.
 */
import { RESET } from "../screen/pen.ts";
import { characterWidth } from "./width.ts";

/** Maximum number of cells in a line. */
export const MAX_LINE = 4096;
/** Moves to the right stop here, as at a terminal's edge. */
const MAX_COLUMN = 1000;
/** Maximum length of a glyph with its combining marks, which hostile output repeats without end. */
const MAX_GLYPH = 32;
const TAB_STOP = 8;
const TAB = 0x09;
const UNDERSCORE = 0x5f;

export class LineCells {
  readonly #cells: string[] = [];
  #column = 0;
  #struckBack = false;
  #isStyled = false;
  /** SGR sequence (pen.ts) put before each glyph; empty for the default style. */
  pen = "";

  get column(): number {
    return this.#column;
  }

  get length(): number {
    return this.#cells.length;
  }

  /** The text, with SGR sequences for styled glyphs, ending in the default style. */
  text(): string {
    return this.#isStyled ? this.#styledText() : this.#cells.join("");
  }

  put(codePoint: number): void {
    if (codePoint === TAB) return this.#tab();
    const glyph = String.fromCodePoint(codePoint);
    const width = characterWidth(codePoint);
    // An underscore over a letter underlines it, as in man pages: the letter is the text.
    if (codePoint === UNDERSCORE && this.#struckBack && (this.#cells[this.#column] ?? " ") !== " ") this.#column++;
    else if (width === 0) this.#mark(glyph);
    else this.#place(glyph, width);
    this.#struckBack = false;
  }

  backspace(): void {
    this.#column = Math.max(0, this.#column - 1);
    this.#struckBack = true;
  }

  moveTo(column: number): void {
    this.#column = Math.min(Math.max(0, column), Math.max(MAX_COLUMN, this.length));
    this.#struckBack = false;
  }

  moveBy(columns: number): void {
    this.moveTo(this.#column + columns);
  }

  eraseToEnd(): void {
    this.#separate(this.#column);
    this.#cells.length = Math.min(this.length, this.#column);
  }

  /** Includes the cell at the column. */
  eraseToStart(): void {
    this.eraseCharacters(this.#column + 1, 0);
  }

  eraseAll(): void {
    this.#cells.length = 0;
  }

  eraseCharacters(count: number, from = this.#column): void {
    const end = Math.min(this.length, from + count);
    this.#separate(from);
    this.#separate(end);
    if (from < end) this.#cells.fill(" ", from, end);
  }

  deleteCharacters(count: number): void {
    this.#separate(this.#column);
    this.#separate(this.#column + count);
    this.#cells.splice(this.#column, count);
  }

  insertBlanks(count: number): void {
    if (this.#column >= this.length) return;
    this.#separate(this.#column);
    this.#cells.splice(this.#column, 0, ...Array.from({ length: Math.min(count, MAX_COLUMN) }, () => " "));
    this.#cells.length = Math.min(this.length, MAX_LINE);
  }

  #styledText(): string {
    let text = "";
    let pen = "";
    for (const cell of this.#cells) {
      const length = penLength(cell);
      const own = cell.slice(0, length);
      if (own !== pen && cell !== "") {
        text += own === "" ? RESET : own;
        pen = own;
      }
      text += cell.slice(length);
    }
    return pen === "" ? text : text + RESET;
  }

  /** Inside existing text a tab only moves. */
  #tab(): void {
    const width = TAB_STOP - (this.#column % TAB_STOP);
    if (this.#column < this.length) this.#column += width;
    else this.#place("\t", width);
  }

  #place(glyph: string, width: number): void {
    while (this.length < this.#column) this.#cells.push(" ");
    this.#separate(this.#column);
    this.#separate(this.#column + width);
    this.#cells[this.#column] = this.pen + glyph;
    if (this.pen !== "") this.#isStyled = true;
    for (let part = 1; part < width; part++) this.#cells[this.#column + part] = "";
    this.#column += width;
  }

  #mark(mark: string): void {
    let at = Math.min(this.#column, this.length) - 1;
    while (at > 0 && this.#cells[at] === "") at--;
    const glyph = this.#cells[at];
    if (glyph !== undefined && glyph.length - penLength(glyph) < MAX_GLYPH) this.#cells[at] = glyph + mark;
  }

  /** Blanks a glyph that spans the boundary left of `column`. */
  #separate(column: number): void {
    if (this.#cells[column] !== "") return;
    let start = column;
    while (start > 0 && this.#cells[start] === "") start--;
    let end = column;
    while (this.#cells[end] === "") end++;
    this.#cells.fill(" ", start, end);
  }
}

function penLength(cell: string): number {
  return cell.startsWith("\x1b") ? cell.indexOf("m") + 1 : 0;
}
