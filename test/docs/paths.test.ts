// docs/architecture.md went on describing files that had been removed (an understudy, a relay, a stage of the build),
// and readers looked for them in vain. Every path to a source file that a page names must exist in the repository.
// Decisions and the changelog name files of their time.
import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PAGES, ROOT } from "./pages.ts";

/** A folder and a file (`holder/start/warm.ts`, `native/threads.c`), or anything below a folder at the root (`src/rendering`). */
const PATHS =
  /(?<![\w./-])(?!dist\/)(?:\.\.\/)?(?:(?:[\w-]+\/)+[\w.-]+\.(?:tsx?|js|c|h)\b|(?:src|test|scripts|native|web)\/[\w./-]*\w)/g;
const SOURCES = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" });

/** From the root or from docs/; else the end of a path below src/, as passages about one room leave out its name. */
function exists(path: string): boolean {
  const source = path.replace(/^src\//, "");
  return (
    existsSync(join(ROOT, path.startsWith("../") ? "docs" : "", path)) ||
    SOURCES.some((file) => file === source || file.endsWith(`/${source}`))
  );
}

function missing(page: string): string[] {
  return [...new Set(page.match(PATHS) ?? [])].filter((path) => !exists(path));
}

test.each(PAGES.filter((page) => !/^(CHANGELOG\.md|docs\/adr\/)/.test(page)))(
  "%s names no source file that is missing",
  (page) => {
    expect(missing(readFileSync(join(ROOT, page), "utf8"))).toEqual([]);
  },
);

test("The pages on how holt works name the files of its walks", () => {
  const pages = PAGES.filter((page) => /^docs\/(architecture\.md|internals\/)/.test(page));
  const text = pages.map((page) => readFileSync(join(ROOT, page), "utf8")).join("\n");
  expect(text.match(PATHS)?.length).toBeGreaterThan(100);
});

test("a path that leads nowhere is noticed", () => {
  const page =
    "`process/understudy.ts`, src/main.ts, src/nowhere, `holder/start/warm.ts`, [c](../native/none.c), native/threads.c";
  expect(missing(page)).toEqual(["process/understudy.ts", "src/nowhere", "../native/none.c"]);
});
