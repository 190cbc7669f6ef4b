/** Formats a screen as text with SGR colours. */
import type { Screen, ScreenRun, Style } from "./screen.ts";
import { sgr } from "./sgr.ts";

/** One line per row, each styled by itself: to print on any terminal, not to rebuild this one. */
export function screenAnsi({ lines }: Screen): string {
  const rows = lines.map(row);
  while (rows.at(-1) === "") rows.pop();
  return rows.join("\n");
}

function row(runs: ScreenRun[]): string {
  let out = "";
  let before: Style = {};
  for (const { text, columns, style } of withoutBlankEnd(runs)) {
    if (JSON.stringify(style) !== JSON.stringify(before)) out += sgr(style);
    out += style.hidden ? " ".repeat(columns) : text;
    before = style;
  }
  return Object.keys(before).length === 0 ? out : `${out}\x1b[m`;
}

function withoutBlankEnd(runs: ScreenRun[]): ScreenRun[] {
  const last = runs.at(-1);
  if (last === undefined || Object.keys(last.style).length > 0) return runs;
  const text = last.text.replace(/ +$/, "");
  return [...runs.slice(0, -1), ...(text === "" ? [] : [{ ...last, text }])];
}
