/**
 * A headless terminal emulator: it takes a program's output and holds the screen. It is loaded on
 * demand, never on the way to a start.
 */
import type { ScreenModes } from "../../protocol/types/modes.ts";
import type { DefaultColors } from "../screen/default-colors.ts";
import { answerOf } from "./emulator-answers.ts";
import { type Core, type CoreCell, openCore } from "./emulator-core.ts";
import { guardRuns, guardSequences } from "./emulator-guards.ts";
import { EmulatorInput } from "./emulator-input.ts";
import { FastPath } from "./emulator-fast-path.ts";
import { Links } from "./emulator-links.ts";
import { modesOf } from "./emulator-modes.ts";
import { type EmulatorParts, replayOf } from "./emulator-replay.ts";
import { EmulatorState } from "./emulator-state.ts";
import type { Screen, ScreenRun } from "../screen/screen.ts";
import type { StateQuery } from "../queries/state-query.ts";
import { cutColumns } from "../text/cut-columns.ts";
import { alike, CellReader, type CellRun } from "./emulator-cells.ts";

export interface EmulatorOptions {
  cols: number;
  rows: number;
  /** Lines above the screen; default 1000. */
  scrollback?: number;
  /** Colours reported to the program until it changes them. */
  colors?: DefaultColors;
  /** Bypass xterm's parser for common output, with the same result; default true. */
  fastPath?: boolean;
}

export interface ReplayOptions {
  /** Lines above the screen; default all. */
  scrollback?: number;
  /** Append the unfinished sequence or character, for the rest to follow; default true. */
  unfinished?: boolean;
}

/** xterm's minimum. */
const MIN_COLS = 2;
const MIN_ROWS = 1;
/**
 * Any client can set any size; a cell costs 12 bytes, so 65,535 by 65,535 cells would exceed the
 * memory.
 */
const MAX_COLS = 10_000;
const MAX_CELLS = 1_000_000;

/** The nearest supported size. */
function bounded(cols: number, rows: number): { cols: number; rows: number } {
  const width = Math.min(MAX_COLS, Math.max(MIN_COLS, cols));
  return { cols: width, rows: Math.min(Math.floor(MAX_CELLS / width), Math.max(MIN_ROWS, rows)) };
}

export class Emulator implements Disposable {
  pixels: { width: number; height: number } | null = null;
  /** The requested width, also below xterm's minimum. */
  #cols: number;
  readonly #core: Core;
  readonly #cell: CoreCell;
  readonly #state: EmulatorState;
  readonly #links: Links;
  readonly #input: EmulatorInput;
  readonly #colors: DefaultColors | undefined;

  constructor({ cols, rows, scrollback = 1000, colors, fastPath = true }: EmulatorOptions) {
    const { core, cell } = openCore({ ...bounded(cols, rows), scrollback });
    this.#cols = Math.min(MAX_COLS, Math.max(1, cols));
    this.scrollback = scrollback;
    this.#core = core;
    this.#cell = cell;
    this.#links = new Links(core, cell);
    this.#state = new EmulatorState(core);
    this.#input = new EmulatorInput(core._inputHandler, fastPath ? new FastPath(core._inputHandler) : null);
    this.#colors = colors;
    guardSequences(core);
    guardRuns(core);
  }

  get cols(): number {
    return this.#cols;
  }

  get rows(): number {
    return this.#core.rows;
  }

  /** Maximum number of lines above the screen. */
  readonly scrollback: number;

  /** True when only a part of the screen scrolls. */
  get hasMargins(): boolean {
    const { scrollTop, scrollBottom } = this.#core.buffers.active;
    return scrollTop !== 0 || scrollBottom !== this.rows - 1;
  }

  /** True when the output so far ends between characters and sequences. */
  get isGround(): boolean {
    return this.#input.isGround;
  }

  get title(): string {
    return this.#state.title;
  }

  get cwd(): string | null {
    return this.#state.cwd;
  }

  get modes(): ScreenModes {
    return modesOf(this.#core, this.#state);
  }

  /** Synchronous: the bytes have taken effect on return, wherever they are cut. */
  write(bytes: Uint8Array): void {
    this.#input.write(bytes);
  }

  resize(cols: number, rows: number): void {
    this.#cols = Math.min(MAX_COLS, Math.max(1, cols));
    const size = bounded(cols, rows);
    this.#state.resize(size.cols, size.rows);
  }

  screen(): Screen {
    const parts = { core: this.#core, cell: this.#cell, state: this.#state, links: this.#links };
    return narrowed(screenOf(parts), this.#cols);
  }

  /** Escape sequences that rebuild the state in a terminal of this size. */
  replay({ scrollback = Number.POSITIVE_INFINITY, unfinished = true }: ReplayOptions = {}): Uint8Array {
    const parts = { core: this.#core, cell: this.#cell, state: this.#state, links: this.#links };
    return replayOf(parts, scrollback, unfinished ? this.#input.unfinished : new Uint8Array(0));
  }

  /** Null when this terminal does not answer the query. */
  answer(query: StateQuery): Uint8Array | null {
    return answerOf(query, {
      core: this.#core,
      state: this.#state,
      modes: this.modes,
      cell: this.#cell,
      links: this.#links,
      pixels: this.pixels,
      colors: this.#colors,
    });
  }

  [Symbol.dispose](): void {
    this.#core.dispose();
  }
}

function screenOf({ core, cell, state, links }: EmulatorParts): Screen {
  const reader = new CellReader(cell, links);
  const buffer = core.buffers.active;
  const modes = modesOf(core, state);
  const lines = Array.from({ length: core.rows }, (_, row) =>
    merged(reader.runs(buffer.lines.get(buffer.ybase + row), core.cols)),
  );
  return {
    cols: core.cols,
    rows: core.rows,
    lines,
    cursor: {
      row: buffer.y,
      // A pending wrap shows the cursor at the edge.
      col: Math.min(buffer.x, core.cols - 1),
      visible: modes.cursor_visible,
      shape: modes.cursor_shape,
      blink: modes.cursor_blink,
    },
    title: state.title,
    modes,
    alternate: modes.alternate_screen,
    colors: { ...state.colors, palette: { ...state.colors.palette } },
  };
}

/** Narrows the screen below xterm's minimum width. */
function narrowed(screen: Screen, cols: number): Screen {
  if (cols >= screen.cols) return screen;
  const lines = screen.lines.map((runs) => [...cutColumns(runs, 0, cols)]);
  return { ...screen, cols, lines, cursor: { ...screen.cursor, col: Math.min(screen.cursor.col, cols - 1) } };
}

/** Merges printed and never printed blanks, which look the same. */
function merged(runs: CellRun[]): ScreenRun[] {
  const shown: ScreenRun[] = [];
  let before: CellRun | undefined;
  for (const run of runs) {
    const last = shown.at(-1);
    if (last !== undefined && before !== undefined && alike({ ...before, blank: run.blank }, run)) {
      last.text += run.text;
      last.columns += run.columns;
    } else shown.push({ text: run.text, columns: run.columns, style: run.style });
    before = run;
  }
  return shown;
}
