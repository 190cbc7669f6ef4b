/** Pages are for reading: README is short, paragraphs are, and lines fit. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PAGES, ROOT } from "./pages.ts";

test("README has at most 250 lines, architecture.md at most 2,500 words.", () => {
  expect(readFileSync(join(ROOT, "README.md"), "utf8").split("\n").length).toBeLessThanOrEqual(251);
  const words = readFileSync(join(ROOT, "docs/architecture.md"), "utf8").split(/\s+/);
  expect(words.length).toBeLessThanOrEqual(2500);
});

/** Long paragraphs hide what a reader looks for: facts are tables and lists. Decisions are reports of their time. */
function longParagraphs(text: string): string[] {
  const blocks = text.replace(/^```[^]*?^```$/gm, "").split(/\n(?=\s*(?:[-*]|\d+\.) |\||#)|\n\s*\n/);
  return blocks.filter((block) => block.trim().split("\n").length > 5).map((block) => block.trim().slice(0, 60));
}

for (const page of PAGES.filter((path) => !/^docs\/(adr|reference)\//.test(path))) {
  test(`${page} has no paragraph over five lines, and no line of prose over 100 columns.`, () => {
    const text = readFileSync(join(ROOT, page), "utf8");
    expect(longParagraphs(text)).toEqual([]);
    const prose = text.replace(/^```[^]*?^```$/gm, "").split("\n");
    expect(prose.filter((line) => line.length > 100 && !/^\||\]\(/.test(line))).toEqual([]);
  });
}
