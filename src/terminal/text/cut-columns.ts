/** Cuts a range of columns out of a screen row. */
import type { ScreenRun } from "../screen/screen.ts";

/** `columns` columns from `from` on. A wide character cut in half becomes blanks. */
export function cutColumns(runs: readonly ScreenRun[], from: number, columns: number): readonly ScreenRun[] {
  const width = runs.reduce((sum, run) => sum + run.columns, 0);
  if (from === 0 && width <= columns) return runs;
  const cut: ScreenRun[] = [];
  let at = 0;
  for (const run of runs) {
    const start = Math.max(from, at);
    const end = Math.min(from + columns, at + run.columns);
    if (end > start) cut.push(partOf(run, start - at, end - at));
    at += run.columns;
  }
  return cut;
}

function partOf(run: ScreenRun, start: number, end: number): ScreenRun {
  if (start === 0 && end === run.columns) return run;
  const segments = [...new Intl.Segmenter("en", { granularity: "grapheme" }).segment(run.text)];
  const each = Math.max(1, Math.round(run.columns / Math.max(1, segments.length)));
  const first = Math.ceil(start / each);
  const last = Math.floor(end / each);
  const text =
    " ".repeat(first * each - start) +
    segments
      .slice(first, last)
      .map(({ segment }) => segment)
      .join("") +
    " ".repeat(end - last * each);
  return { ...run, text, columns: end - start };
}
