/**
 * Writes the lines of a buffer as escape sequences, from the top, wrapped where they were wrapped.
 */
import { type CellReader, type CellRun, PLAIN } from "./emulator-cells.ts";
import type { CoreBuffer } from "./emulator-core.ts";
import type { Link, Style } from "../screen/screen.ts";
import { sgr } from "../screen/sgr.ts";

export class LineWriter {
  #out: string[] = [];
  #style: Style = PLAIN;
  #link: Link | undefined;
  readonly #reader: CellReader;
  readonly #cols: number;
  readonly #rows: number;
  /** Column of the cursor; `cols` when the next character wraps. */
  #column = 0;

  constructor(reader: CellReader, { cols, rows }: { cols: number; rows: number }) {
    this.#reader = reader;
    this.#cols = cols;
    this.#rows = rows;
  }

  get text(): string {
    return this.#out.join("");
  }

  put(text: string): void {
    this.#out.push(text);
  }

  /** `row` and `column` count from 0. */
  moveTo(row: number, column: number): void {
    this.put(`\x1b[${row + 1};${column + 1}H`);
    this.#column = column;
  }

  setStyle(style: Style): void {
    if (style !== this.#style) {
      this.put(sgr(style));
      // SGR 0 clears protection in xterm, and keeps it in other terminals.
      if (style.protected || this.#style.protected) this.put(`\x1b[${style.protected ? 1 : 0}"q`);
      this.#style = style;
    }
    if (style.link === this.#link) return;
    const { uri = "", id } = style.link ?? {};
    this.put(`\x1b]8;${id === undefined ? "" : `id=${id}`};${uri}\x1b\\`);
    this.#link = style.link;
  }

  /** Writes from the top left of a cleared screen; lines past the bottom scroll up. */
  lines(buffer: CoreBuffer, first: number, isActive: boolean): void {
    let before: CellRun[] | undefined;
    if (buffer.lines.get(first)?.isWrapped && this.#rows > 1) before = this.#wrapFromNothing();
    for (let index = first; index < buffer.ybase + this.#rows; index++) {
      const line = buffer.lines.get(index);
      const wrapIsDue = isActive && index === buffer.ybase + buffer.y && buffer.x >= this.#cols;
      const runs = this.#reader[wrapIsDue ? "runsToWrap" : "runs"](line, this.#cols);
      const wrapped = before !== undefined && line?.isWrapped === true && this.#rows > 1;
      if (wrapped && index > first && before !== undefined) this.#wrap(before, runs);
      else if (index > first) this.#newLine();
      this.#line(runs, wrapped);
      before = runs;
    }
    this.setStyle(PLAIN);
  }

  /** The line before the first one is gone: write a substitute, and delete it after the wrap. */
  #wrapFromNothing(): [] {
    this.put(`\x1b[${this.#cols}G  \x1b[A\x1b[M`);
    return [];
  }

  #newLine(): void {
    // Otherwise the line that scrolls in would get the background.
    this.setStyle(PLAIN);
    this.put("\r\n");
    this.#column = 0;
  }

  /** Moves the cursor to where the first character of the next line wraps by itself. */
  #wrap(before: CellRun[], runs: CellRun[]): void {
    const first = runs[0];
    if (first === undefined) return;
    if (this.#column === this.#cols && !first.blank) {
      this.#column = 0;
      return;
    }
    const end = before.at(-1);
    if (this.#column === this.#cols - 1 && first.wide && leavesBlank(first.style, end)) {
      this.#column = 0;
      return;
    }
    this.#forceWrap(end);
  }

  /** Prints placeholder characters across the edge and erases them again. */
  #forceWrap(end: CellRun | undefined): void {
    this.setStyle(PLAIN);
    if (this.#column < this.#cols) this.put(`\x1b[${this.#cols}G `);
    this.put(" ");
    if (end?.blank) {
      this.put(`\x1b[A\x1b[${this.#cols}G`);
      this.setStyle(end.style);
      this.put("\x1b[X\x1b[B");
    }
    this.put("\r");
    this.#column = 0;
  }

  #line(runs: CellRun[], wrapped: boolean): void {
    runs.forEach((run, index) => {
      if (run.blank) this.#blank(run, { isLast: index === runs.length - 1, wrapped });
      else this.#text(run);
    });
  }

  /**
   * A wrapped line may have a background from scrolling and holds a placeholder: blanks are erased.
   */
  #blank(run: CellRun, { isLast, wrapped }: { isLast: boolean; wrapped: boolean }): void {
    if (wrapped || run.style !== PLAIN) {
      this.setStyle(run.style);
      this.put(`\x1b[${run.columns}X`);
    }
    if (isLast) return;
    this.put(`\x1b[${run.columns}C`);
    this.#column += run.columns;
  }

  /**
   * Does not restate the column: a terminal that draws three glyphs as one did so for the output
   * too.
   */
  #text(run: CellRun): void {
    this.setStyle(run.style);
    this.put(run.text);
    this.#column += run.columns;
  }
}

/** True when a wide character that does not fit leaves a blank of its own style at the edge. */
function leavesBlank(style: Style, end: CellRun | undefined): boolean {
  const { background, inverse, underline, strikethrough, overline } = style;
  return (
    end?.blank === true && end.style.background === background && !(inverse || underline || strikethrough || overline)
  );
}
