/**
 * Everything a terminal holds, as escape sequences that a terminal of the same size rebuilds it from, whatever it held
 * before. The order matters: the lines are drawn with every mode at its default; DECSTBM and DECOM move the cursor, so it
 * is placed after them; and only what does not move it may follow a character that stands at the edge, because the wrap
 * that is due there is part of the state. Nothing in it makes a terminal answer.
 */
import { bytesOf, joined } from "../protocol/bytes.ts";
import { CellReader, PLAIN } from "./emulator-cells.ts";
import { charsetSequences, designate } from "./emulator-charsets.ts";
import type { Core, CoreBuffer, CoreCell } from "./emulator-core.ts";
import { urlOfPath } from "./emulator-cwd.ts";
import type { Links } from "./emulator-links.ts";
import { Painter } from "./emulator-painter.ts";
import type { EmulatorState } from "./emulator-state.ts";
import type { Style } from "./screen.ts";
import { cursorSequences, modeSequences, RESET } from "./replay-sequences.ts";

export interface Replayed {
  core: Core;
  cell: CoreCell;
  state: EmulatorState;
  links: Links;
}

type ScreenName = "normal" | "alt";

export function replayOf(replayed: Replayed, scrollback: number, unfinished: Uint8Array): Uint8Array {
  return joined([bytesOf(new Replay(replayed).write(scrollback)), unfinished]);
}

class Replay {
  readonly #core: Core;
  readonly #state: EmulatorState;
  readonly #reader: CellReader;
  readonly #painter: Painter;

  constructor({ core, cell, state, links }: Replayed) {
    this.#core = core;
    this.#state = state;
    this.#reader = new CellReader(cell, links);
    this.#painter = new Painter(this.#reader, core);
  }

  write(scrollback: number): string {
    const { normal, alt, active } = this.#core.buffers;
    const painter = this.#painter;
    painter.put(RESET);
    painter.put(this.#titleAndColors());
    painter.lines(normal, Math.max(0, normal.ybase - scrollback), active === normal);
    if (active === alt) {
      this.#screenState("normal");
      this.#enterAlternate();
      painter.lines(alt, alt.ybase, true);
    } else this.#hiddenAlternate();
    this.#screenState(active === alt ? "alt" : "normal");
    painter.put(modeSequences(this.#core, this.#state));
    this.#cursor();
    return painter.text;
  }

  #titleAndColors(): string {
    const { title, cwd, colors } = this.#state;
    const stack = this.#core._inputHandler._windowTitleStack;
    const set = (number: number | string, value: string): string => `\x1b]${number};${value}\x1b\\`;
    const parts = stack.map((pushed) => `${set(2, pushed)}\x1b[22;2t`);
    if (title !== "" || stack.length > 0) parts.push(set(2, title));
    if (cwd !== null) parts.push(cwd.startsWith("/") ? set(7, urlOfPath(cwd)) : set(1337, `CurrentDir=${cwd}`));
    for (const [index, color] of Object.entries(colors.palette)) parts.push(set(`4;${index}`, color));
    if (colors.foreground) parts.push(set(10, colors.foreground));
    if (colors.background) parts.push(set(11, colors.background));
    if (colors.cursor) parts.push(set(12, colors.cursor));
    return parts.join("");
  }

  /** What each screen has of its own: keyboard, tab stops, saved cursor, scroll region. */
  #screenState(name: ScreenName): void {
    const buffer = this.#core.buffers[name];
    const painter = this.#painter;
    painter.put(this.#state.keyboard(name).sequences());
    this.#tabStops(buffer);
    if (!this.#isDefaultSaved(name)) this.#saveCursor(name);
    painter.put(`\x1b[${buffer.scrollTop + 1};${buffer.scrollBottom + 1}r`);
  }

  #tabStops(buffer: CoreBuffer): void {
    this.#painter.put("\x1b[3g");
    for (let column = 0; column < this.#core.cols; column++) {
      if (buffer.tabs[column]) this.#painter.put(`\x1b[${column + 1}G\x1bH`);
    }
  }

  #isDefaultSaved(name: ScreenName): boolean {
    const { savedX, savedCharset, savedCurAttrData } = this.#core.buffers[name];
    const { row } = this.#state.saved(name);
    return (
      savedX === 0 && row === 0 && savedCharset === undefined && this.#savedStyle(savedCurAttrData, name) === PLAIN
    );
  }

  #savedStyle({ fg, bg }: { fg: number; bg: number }, name: ScreenName): Style {
    const extended = this.#state.saved(name).extended.clone();
    extended.urlId = 0;
    return this.#reader.style({ fg, bg, extended });
  }

  #saveCursor(name: ScreenName): void {
    const { savedX, savedCharset, savedCurAttrData } = this.#core.buffers[name];
    const painter = this.#painter;
    painter.moveTo(this.#state.saved(name).row, Math.min(savedX, this.#core.cols - 1));
    painter.setStyle(this.#savedStyle(savedCurAttrData, name));
    if (savedCharset !== undefined) painter.put(designate(this.#core, 0, savedCharset));
    painter.put("\x1b7");
    if (savedCharset !== undefined) painter.put("\x1b(B");
    painter.setStyle(PLAIN);
  }

  /**
   * As a program would have entered it, from where the cursor was saved: tmux keeps that place apart from DECSC. The
   * cursor of the normal screen may be elsewhere, and counts when that screen is resized.
   */
  #enterAlternate(): void {
    const { normal } = this.#core.buffers;
    const { row } = this.#state.saved("normal");
    const painter = this.#painter;
    painter.moveTo(normal.y, Math.min(normal.x, this.#core.cols - 1));
    if (normal.y === row && normal.x === normal.savedX) {
      painter.setStyle(this.#savedStyle(normal.savedCurAttrData, "normal"));
      painter.put(normal.savedCharset === undefined ? "" : designate(this.#core, 0, normal.savedCharset));
      painter.put("\x1b[?1049h\x1b(B");
      painter.setStyle(PLAIN);
    } else painter.put("\x1b[?47h");
    // Where screens share the region, that of the other one is in force.
    painter.put("\x1b[r\x1b[2J");
    painter.moveTo(0, 0);
  }

  /** It keeps its saved cursor and its keyboard while it is not shown. */
  #hiddenAlternate(): void {
    const keyboard = this.#state.keyboard("alt");
    if (this.#isDefaultSaved("alt") && keyboard.isDefault) return;
    this.#painter.put(`\x1b[?47h${keyboard.sequences()}`);
    if (!this.#isDefaultSaved("alt")) this.#saveCursor("alt");
    this.#painter.put("\x1b[?47l");
  }

  #cursor(): void {
    const { buffers, coreService, cols } = this.#core;
    const { x, y, scrollTop } = buffers.active;
    const { _curAttrData: attributes, _parser: parser } = this.#core._inputHandler;
    const { origin } = coreService.decPrivateModes;
    const painter = this.#painter;
    this.#charsets();
    if (origin) painter.put("\x1b[?6h");
    const row = y - (origin ? scrollTop : 0);
    const style = this.#reader.style(attributes);
    const before = x >= cols || parser.precedingJoinState !== 0 ? this.#glyphBefore(Math.min(x, cols)) : undefined;
    const joins = before !== undefined && parser.precedingJoinState !== 0;
    if (joins) painter.put(cursorSequences(this.#core));
    if (before === undefined) painter.moveTo(row, Math.min(x, cols - 1));
    else {
      painter.moveTo(row, before.column);
      this.#print(before, joins ? style : undefined);
    }
    painter.setStyle(style);
    // After a character that nothing may join, there is a sequence.
    if (!joins) painter.put(cursorSequences(this.#core));
  }

  /** DECRC brings back the table in use, not the set it came from: where they differ, a DECRC made the difference. */
  #charsets(): void {
    const { charset, glevel, _charsets } = this.#core._charsetService;
    this.#painter.put(charsetSequences(this.#core));
    if (charset !== _charsets[glevel]) this.#painter.put("\x1b8");
  }

  /** None in the middle of a wide one. */
  #glyphBefore(column: number): GlyphBefore | undefined {
    const { cols, buffers } = this.#core;
    const buffer = buffers.active;
    let end = 0;
    const runs = this.#reader.runsToWrap(buffer.lines.get(buffer.ybase + buffer.y), cols);
    const run = runs.find(({ columns }) => (end += columns) >= column);
    const width = run?.wide ? 2 : 1;
    const after = (end - column) / width;
    if (run === undefined || !Number.isInteger(after)) return undefined;
    const glyph = run.loose ? run.text : ([...run.text].at(-1 - after) ?? " ");
    return { glyph: run.blank ? " \x1b[1K" : glyph, style: run.style, column: column - width, width };
  }

  /** The character before the cursor once more: a mark can join it then, REP repeat it, and the next one wraps. */
  #print({ glyph, style, column, width }: GlyphBefore, joinable: Style | undefined): void {
    const { coreService, cols, _charsetService } = this.#core;
    const { glevel, charset } = _charsetService;
    const painter = this.#painter;
    if (coreService.modes.insertMode && column + width < cols) painter.put(`\x1b[${width}P`);
    painter.setStyle(joinable ?? style);
    const mapped = joinable === undefined && charset !== undefined;
    if (mapped) painter.put(designate(this.#core, glevel, undefined));
    painter.put(glyph);
    if (mapped) painter.put(designate(this.#core, glevel, charset));
  }
}

interface GlyphBefore {
  glyph: string;
  style: Style;
  column: number;
  width: number;
}
