/** The data model of a terminal's screen. */
import type { CursorShape, ScreenModes } from "../../protocol/types/modes.ts";

/** A screen as plain data, input of the formatters in screen-*.ts. */
export interface Screen {
  cols: number;
  rows: number;
  /** `rows` lines, each exactly `cols` wide. */
  lines: ScreenRun[][];
  cursor: { row: number; col: number; visible: boolean; shape: CursorShape; blink: boolean };
  title: string;
  modes: ScreenModes;
  alternate: boolean;
  colors: ScreenColors;
}

/** Adjacent cells of equal style and width; blanks are spaces. */
export interface ScreenRun {
  text: string;
  /** Columns on the terminal, which may differ from the text's own width. */
  columns: number;
  style: Style;
}

/** Only properties that differ from the default. */
export interface Style {
  foreground?: Color;
  background?: Color;
  bold?: true;
  dim?: true;
  italic?: true;
  underline?: Underline;
  underline_color?: Color;
  blink?: true;
  inverse?: true;
  hidden?: true;
  strikethrough?: true;
  overline?: true;
  /** DECSCA: selective erasing skips the cell. */
  protected?: true;
  link?: Link;
}

export interface Link {
  uri: string;
  /** Cells with the same id form one link. */
  id?: string;
}

/** A palette index (0 to 255) or `#rrggbb`. */
export type Color = number | `#${string}`;
export type Underline = "single" | "double" | "curly" | "dotted" | "dashed";

export interface ScreenColors {
  palette: Record<number, `#${string}`>;
  foreground?: `#${string}`;
  background?: `#${string}`;
  cursor?: `#${string}`;
}
