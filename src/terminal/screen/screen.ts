import type { CursorShape, ScreenModes } from "../../protocol/types/modes.ts";

/** What a terminal shows, as plain data: the formatters of screen-*.ts draw from it. */
export interface Screen {
  cols: number;
  rows: number;
  /** `rows` of them; each is exactly `cols` wide. */
  lines: ScreenRun[][];
  cursor: { row: number; col: number; visible: boolean; shape: CursorShape; blink: boolean };
  title: string;
  modes: ScreenModes;
  alternate: boolean;
  colors: ScreenColors;
}

/** Neighbouring cells alike in style and in width; blanks are spaces. */
export interface ScreenRun {
  text: string;
  /** On the terminal, whatever the text's own idea of its width. */
  columns: number;
  style: Style;
}

/** Only what is not the default is there. */
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
  /** DECSCA: selective erasing spares it. */
  protected?: true;
  link?: Link;
}

export interface Link {
  uri: string;
  /** Cells with one id are one link. */
  id?: string;
}

/** A number of the palette (0 to 255), or `#rrggbb`. */
export type Color = number | `#${string}`;
export type Underline = "single" | "double" | "curly" | "dotted" | "dashed";

export interface ScreenColors {
  palette: Record<number, `#${string}`>;
  foreground?: `#${string}`;
  background?: `#${string}`;
  cursor?: `#${string}`;
}
