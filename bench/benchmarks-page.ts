/** docs/benchmarks.md, made from bench/results.md: one ratio a row. `bun bench/benchmarks-page.ts` writes it. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const RESULTS = join(import.meta.dir, "results.md");
const PAGE = join(import.meta.dir, "../docs/benchmarks.md");
const BAR = "The bar";
const RATIO = /^(?:p\d+ )?of (.+)$/;

interface Table {
  title: string;
  head: readonly string[];
  rows: readonly (readonly string[])[];
}

export function writeBenchmarksPage(): void {
  writeFileSync(PAGE, benchmarksPage(readFileSync(RESULTS, "utf8")));
}

export function benchmarksPage(results: string): string {
  const all = tablesIn(results);
  const bar = all.find(({ title }) => title === BAR);
  const tables = all.filter((table) => table !== bar);
  const written = /^Written by `make bench` on (.*)\.$/m.exec(results)?.[1] ?? "an unknown machine";
  return `# Benchmarks

Written by \`make bench\` from [bench/results.md](../bench/results.md); do not edit it by hand. Measured
on ${written}.

- Contestants take turns in one run. A ratio is the median of the ratios of each turn, so a busy
  moment hits both sides.
- A ratio of time below 1 is faster than the baseline; a ratio of memory below 1 is smaller.
- \`node_modules/.bin/bun bench/main.ts NAME...\` prints some figures and writes nothing; \`bar\` is all
  that the first table needs.

${bar === undefined ? "" : barOf(bar)}## Ratios

| benchmark | measured | figure | ratio | baseline |
|---|---|---|---|---|
${tables.flatMap(ratiosOf).map(line).join("\n")}

## Figures without a baseline

| benchmark | measured | figure |
|---|---|---|
${tables.filter(hasNoRatio).flatMap(figuresOf).map(line).join("\n")}
`;
}

/** One ratio a row already. */
function barOf({ rows }: Table): string {
  const head = "## The bar\n\n| figure | baseline | ratio | bar | holds |\n|---|---|---|---|---|\n";
  return `${head}${rows.map(line).join("\n")}\n\n`;
}

function tablesIn(results: string): Table[] {
  return results
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [head = [], , ...rows] = section
        .split("\n")
        .filter((text) => text.startsWith("|"))
        .map((text) => text.slice(2, -2).split(" | "));
      return {
        title: section.slice(0, section.indexOf("\n")),
        head,
        rows: rows.map((row) => row.map((cell) => cell.trim())),
      };
    });
}

function hasNoRatio({ head }: Table): boolean {
  return !head.some((name) => RATIO.test(name));
}

function ratiosOf({ title, head, rows }: Table): string[][] {
  return head.flatMap((name, column) => {
    const baseline = RATIO.exec(name)?.[1];
    if (baseline === undefined) return [];
    const measured = measuredColumn(head, column);
    const label = measured === 1 ? "" : `, ${head[measured]}`;
    const first = rows.find((row) => Number(row[column]) === 1);
    return rows
      .filter((row) => row !== first && (row[column] ?? "") !== "")
      .map((row) => [
        title,
        `${row[0]}${label}`,
        row[measured] ?? "",
        row[column] ?? "",
        first?.[0] ?? (baseline === "it" ? (head[column - 1] ?? "") : baseline),
      ]);
  });
}

/** The column that a ratio is about: of those left of it, since the last ratio, the one that is not the baseline. */
function measuredColumn(head: readonly string[], column: number): number {
  const end = head.findLastIndex((name, at) => at < column && !RATIO.test(name));
  const begin = head.findLastIndex((name, at) => at < end && (at === 0 || RATIO.test(name))) + 1;
  const name = head[column] ?? "";
  const quantile = /^p\d+/.exec(name)?.[0];
  const baseline = name === "of it" ? head[end] : RATIO.exec(name)?.[1];
  const own = head.findIndex(
    (other, at) => at >= begin && at <= end && other !== baseline && (quantile === undefined || other === quantile),
  );
  return own < 0 ? end : name === "of it" ? end - 1 : own;
}

function figuresOf({ title, head, rows }: Table): string[][] {
  return rows.flatMap((row) =>
    row.slice(1).flatMap((figure, at) => (figure === "" ? [] : [[title, `${row[0]}, ${head[at + 1]}`, figure]])),
  );
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

if (import.meta.main) writeBenchmarksPage();
