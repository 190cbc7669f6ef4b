/** docs/benchmarks.md is made from bench/results.md, so that no page quotes an older figure. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { benchmarksPage } from "../../bench/benchmarks-page.ts";

const ROOT = join(import.meta.dir, "../..");

test("The figures are those of bench/results.md (`node_modules/.bin/bun bench/benchmarks-page.ts` writes them).", () => {
  const page = readFileSync(join(ROOT, "docs/benchmarks.md"), "utf8");
  expect(page).toBe(benchmarksPage(readFileSync(join(ROOT, "bench/results.md"), "utf8")));
});

test("A ratio of medians and one of p99 each have their own figure.", () => {
  const rows = (head: string, row: string): string[] =>
    benchmarksPage(`## T\n|  | ${head} |\n| --- |\n| first | ${row} |\n`)
      .split("\n")
      .filter((line) => line.startsWith("| T"));
  expect(rows("p50 | p99 | of C", "1 µs | 9 µs | 2.0")).toEqual(["| T | first | 1 µs | 2.0 | C |"]);
  expect(rows("p50 | p99 | p50 of C | p99 of C", "1 µs | 9 µs | 2.0 | 3.0")).toEqual([
    "| T | first | 1 µs | 2.0 | C |",
    "| T | first, p99 | 9 µs | 3.0 | C |",
  ]);
  expect(rows("`rg` | ours | of `rg`", "1 µs | 3 µs | 3.0")).toEqual(["| T | first, ours | 3 µs | 3.0 | `rg` |"]);
});

test("The bar comes first, as it is.", () => {
  const page = benchmarksPage(
    "## The bar\n\n|  | baseline | ratio | bar | holds |\n| --- |\n| x | C | 1.2 | ≤ 3 | yes |\n",
  );
  expect(page.indexOf("| x | C | 1.2 | ≤ 3 | yes |")).toBeLessThan(page.indexOf("## Ratios"));
  expect(page.split("| x |")).toHaveLength(2);
});

test("A ratio has its own row, with its figure and its baseline.", () => {
  const page = benchmarksPage(
    [
      "Written by `make bench` on 2026-11-16: a machine, 2 cores.",
      "## Reading",
      "|  | median | of C | peak memory | of the small one |",
      "| --- | --- | --- | --- | --- |",
      "| C | 2 µs | 1.00 |  |  |",
      "| small | 4 µs | 2.00 | 30 MB | 1.00 |",
      "| large | 5 µs | 2.50 | 33 MB | 1.10 |",
      "## Idle",
      "|  | private |",
      "| --- | --- |",
      "| holder | 3.6 MB |",
    ].join("\n"),
  );
  expect(page).toContain("on 2026-11-16: a machine, 2 cores.");
  expect(page.split("\n").filter((line) => /^\| (Reading|Idle)/.test(line))).toEqual([
    "| Reading | small | 4 µs | 2.00 | C |",
    "| Reading | large | 5 µs | 2.50 | C |",
    "| Reading | large, peak memory | 33 MB | 1.10 | small |",
    "| Idle | holder, private | 3.6 MB |",
  ]);
});
