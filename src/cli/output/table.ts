/**
 * Renders a table that fits the terminal. If it is too wide, the widest columns shrink to
 * `preferredWidth`, then columns are dropped in ascending `dropOrder`, then the remaining columns
 * shrink to `minWidth`.
 */
import { cutToWidth, displayWidth, padToWidth } from "../../terminal/text/width.ts";
import type { Look, Style } from "./style.ts";

export interface Column {
  readonly header: string;
  readonly preferredWidth: number;
  readonly minWidth: number;
  /** Null: the column is never dropped. */
  readonly dropOrder: number | null;
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
    const squeezed = squeeze(shown, width, ({ index }) => columns[index]?.preferredWidth ?? 0);
    if (total(squeezed) <= width) return squeezed;
    const dropped = shown
      .filter(({ index }) => columns[index]?.dropOrder !== null)
      .toSorted((a, b) => (columns[a.index]?.dropOrder ?? 0) - (columns[b.index]?.dropOrder ?? 0))[0];
    if (dropped === undefined) return squeeze(shown, width, ({ index }) => columns[index]?.minWidth ?? 0);
    shown = shown.filter((column) => column !== dropped);
  }
}

/**
 * Repeatedly narrows the widest column that is above its floor (of equal ones, the rightmost) until
 * the table fits.
 */
function squeeze(shown: readonly Fitted[], width: number, floor: (column: Fitted) => number): Fitted[] {
  const result = shown.map((column) => ({ ...column }));
  for (let excess = total(result) - width; excess > 0; excess--) {
    const shrinkable = result.filter((column) => column.width > floor(column)).toReversed();
    if (shrinkable.length === 0) break;
    const widest = shrinkable.reduce((best, column) => (column.width > best.width ? column : best));
    widest.width--;
  }
  return result;
}

function total(shown: readonly Fitted[]): number {
  return shown.reduce((sum, { width }) => sum + width, 0) + GAP * (shown.length - 1);
}
