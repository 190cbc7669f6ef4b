import { cutColumns } from "./cut-columns.ts";
import { alike, CellReader, type CellRun } from "./emulator-cells.ts";
import { modesOf } from "./emulator-modes.ts";
import type { Replayed } from "./emulator-replay.ts";
import type { Screen, ScreenRun } from "./screen.ts";

export function screenOf({ core, cell, state, links }: Replayed): Screen {
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
      // A wrap that is due shows at the edge.
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

/** The screen of a terminal narrower than xterm's can be. */
export function ofWidth(screen: Screen, cols: number): Screen {
  if (cols >= screen.cols) return screen;
  const lines = screen.lines.map((runs) => [...cutColumns(runs, 0, cols)]);
  return { ...screen, cols, lines, cursor: { ...screen.cursor, col: Math.min(screen.cursor.col, cols - 1) } };
}

/** Whether a blank was printed or never was is not seen. */
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
