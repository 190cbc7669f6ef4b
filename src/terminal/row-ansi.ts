import type { ScreenRun } from "./screen.ts";
import { sgr } from "./sgr.ts";

/** One row of a screen as a terminal is told to draw it; blanks at its end are left out. */
export function rowAnsi(runs: readonly ScreenRun[]): string {
  const last = runs.at(-1);
  const isBlank = last !== undefined && last.text.trim() === "" && Object.keys(last.style).length === 0;
  const shown = isBlank ? runs.slice(0, -1) : runs;
  return shown.map(({ text, style }) => `${sgr(style)}${text}`).join("");
}
