/**
 * A table that fits the terminal. When it is too wide, the widest columns narrow, down to `comfortable`; then whole
 * columns go, those with the lowest `leaves` first; what stays in any case narrows down to `least`.
 */
import { cutToWidth, displayWidth, padToWidth } from "../../terminal/text/width.ts";
import type { Look, Style } from "./style.ts";

export interface Column {
  readonly header: string;
  readonly comfortable: number;
  readonly least: number;
  /** Null: it always stays. */
  readonly leaves: number | null;
}

export interface Cell {
  readonly text: string;
  readonly look: Look;
}

const GAP = 2;

export function renderTable(columns: readonly Column[], rows: readonly (readonly Cell[])[], style: Style): string {
  const natural = columns.map(({ header }, index) =>
    Math.max(displayWidth(header), ...rows.map((row) => displayWidth(row[index]?.text ?? ""))),
  );
  const fitted = fit(columns, natural, style.columns);
  const line = (cells: readonly Cell[]): string => {
    const parts = fitted.map(({ index, width }, position) => {
      const { text, look } = cells[index] ?? { text: "", look: "plain" };
      const cut = cutToWidth(text, width);
      const padding = position === fitted.length - 1 ? "" : padToWidth(cut, width).slice(cut.length);
      return style.paint(look, cut) + padding;
    });
    return `${parts.join(" ".repeat(GAP)).trimEnd()}\n`;
  };
  return line(columns.map(({ header }) => ({ text: header, look: "dim" }))) + rows.map(line).join("");
}

interface Fitted {
  index: number;
  width: number;
}

function fit(columns: readonly Column[], natural: readonly number[], width: number): Fitted[] {
  let shown = natural.map((columnWidth, index) => ({ index, width: columnWidth }));
  for (;;) {
    const squeezed = squeeze(shown, width, ({ index }) => columns[index]?.comfortable ?? 0);
    if (total(squeezed) <= width) return squeezed;
    const leaving = shown
      .filter(({ index }) => columns[index]?.leaves !== null)
      .toSorted((a, b) => (columns[a.index]?.leaves ?? 0) - (columns[b.index]?.leaves ?? 0))[0];
    if (leaving === undefined) return squeeze(shown, width, ({ index }) => columns[index]?.least ?? 0);
    shown = shown.filter((column) => column !== leaving);
  }
}

/** Always from the widest that may still give (of two, the right one), until it fits. */
function squeeze(shown: readonly Fitted[], width: number, floor: (column: Fitted) => number): Fitted[] {
  const result = shown.map((column) => ({ ...column }));
  for (let excess = total(result) - width; excess > 0; excess--) {
    const giving = result.filter((column) => column.width > floor(column)).toReversed();
    if (giving.length === 0) break;
    const widest = giving.reduce((best, column) => (column.width > best.width ? column : best));
    widest.width--;
  }
  return result;
}

function total(shown: readonly Fitted[]): number {
  return shown.reduce((sum, { width }) => sum + width, 0) + GAP * (shown.length - 1);
}
