/**
 * Writes the terminal's state as escape sequences that rebuild it in a terminal of the same size.
 *
 * The order matters: lines are drawn with every mode at its default; DECSTBM and DECOM move the
 * cursor, so it is placed after them; only sequences that do not move it may follow a character at
 * the edge, because the pending wrap is part of the state. Nothing in a replay makes a terminal
 * answer.
 */
import { bytesOf, joined } from "../../protocol/types/bytes.ts";
import { CellReader, PLAIN } from "./emulator-cells.ts";
import { designate } from "./emulator-charsets.ts";
import type { Core, CoreBuffer, CoreCell } from "./emulator-core.ts";
import { urlOfPath } from "./emulator-cwd.ts";
import type { Links } from "./emulator-links.ts";
import { LineWriter } from "./emulator-line-writer.ts";
import type { EmulatorState } from "./emulator-state.ts";
import type { Style } from "../screen/screen.ts";
import { replayCursor } from "./emulator-replay-cursor.ts";
import { modeSequences, RESET } from "./replay-sequences.ts";

export interface EmulatorParts {
  core: Core;
  cell: CoreCell;
  state: EmulatorState;
  links: Links;
}

type ScreenName = "normal" | "alt";

export function replayOf(parts: EmulatorParts, scrollback: number, unfinished: Uint8Array): Uint8Array {
  return joined([bytesOf(new Replay(parts).write(scrollback)), unfinished]);
}

class Replay {
  readonly #core: Core;
  readonly #state: EmulatorState;
  readonly #reader: CellReader;
  readonly #painter: LineWriter;

  constructor({ core, cell, state, links }: EmulatorParts) {
    this.#core = core;
    this.#state = state;
    this.#reader = new CellReader(cell, links);
    this.#painter = new LineWriter(this.#reader, core);
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
    replayCursor({ core: this.#core, reader: this.#reader, painter });
    return painter.text;
  }

  #titleAndColors(): string {
    const { title, cwd, colors } = this.#state;
    const stack = this.#core._inputHandler._windowTitleStack;
    const set = (number: number | string, value: string): string => `\x1b]${number};${value}\x1b\\`;
    const sequences = stack.map((pushed) => `${set(2, pushed)}\x1b[22;2t`);
    if (title !== "" || stack.length > 0) sequences.push(set(2, title));
    if (cwd !== null) sequences.push(cwd.startsWith("/") ? set(7, urlOfPath(cwd)) : set(1337, `CurrentDir=${cwd}`));
    for (const [index, color] of Object.entries(colors.palette)) sequences.push(set(`4;${index}`, color));
    if (colors.foreground) sequences.push(set(10, colors.foreground));
    if (colors.background) sequences.push(set(11, colors.background));
    if (colors.cursor) sequences.push(set(12, colors.cursor));
    return sequences.join("");
  }

  /** State that each screen has of its own: keyboard, tab stops, saved cursor, scroll region. */
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
   * Enters the alternate screen as a program would, from the saved cursor: tmux keeps that position
   * apart from DECSC. The cursor of the normal screen may be elsewhere, and matters when that
   * screen is resized.
   */
  #enterAlternate(): void {
    const { normal } = this.#core.buffers;
    const { row } = this.#state.saved("normal");
    const painter = this.#painter;
    const edge = this.#core.cols - 1;
    painter.moveTo(normal.y, Math.min(normal.x, edge));
    if (normal.y === row && Math.min(normal.x, edge) === Math.min(normal.savedX, edge)) {
      painter.setStyle(this.#savedStyle(normal.savedCurAttrData, "normal"));
      painter.put(normal.savedCharset === undefined ? "" : designate(this.#core, 0, normal.savedCharset));
      painter.put("\x1b[?1049h\x1b(B");
      painter.setStyle(PLAIN);
    } else painter.put("\x1b[?47h");
    // Some terminals share one scroll region between the screens: reset it.
    painter.put("\x1b[r\x1b[2J");
    painter.moveTo(0, 0);
  }

  /** Saved cursor and keyboard of the alternate screen while it is not shown. */
  #hiddenAlternate(): void {
    const keyboard = this.#state.keyboard("alt");
    if (this.#isDefaultSaved("alt") && keyboard.isDefault) return;
    this.#painter.put(`\x1b[?47h${keyboard.sequences()}`);
    if (!this.#isDefaultSaved("alt")) this.#saveCursor("alt");
    this.#painter.put("\x1b[?47l");
  }
}
