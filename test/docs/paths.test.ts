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

/** The names in a table of a walk: a folder, and files of it or below it. */
function missingInTables(page: string): string[] {
  const cells = Array.from(page.matchAll(/^\| [^|]+ \| \d+ \| (.+) \|$/gm), ([, cell = ""]) => cell);
  return cells.flatMap((cell) =>
    cell.split(";").flatMap((group) => {
      const [, folder = "", names = ""] = /`([\w/]+\/)` (.*)/.exec(group) ?? [];
      return names
        .split(",")
        .map((name) => name.replace(/\(.*/, "").trim())
        .filter((name) => !SOURCES.some((file) => file.startsWith(folder) && file.endsWith(`/${name}.ts`)))
        .map((name) => `${folder} ${name}`);
    }),
  );
}

test("The tables of the walks name files that exist", () => {
  const page = readFileSync(join(ROOT, "docs/architecture.md"), "utf8");
  expect(missingInTables(page)).toEqual([]);
  expect(missingInTables("| a | 2 | `holder/socket/` send-buffer (one), nothing; `protocol/` frames |")).toEqual([
    "holder/socket/ nothing",
  ]);
});

test("A file named without its folder exists", () => {
  const pages = PAGES.filter((page) => /^docs\/(architecture\.md|internals\/)/.test(page));
  const all = [...SOURCES, ...readdirSync(join(ROOT, "web"), { recursive: true, encoding: "utf8" })];
  const named = pages.flatMap((page) => readFileSync(join(ROOT, page), "utf8").match(/(?<=`)[\w-]+\.tsx?(?=`)/g) ?? []);
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((name) => !all.some((file) => file.endsWith(`/${name}`)))).toEqual([]);
});

test("a path that leads nowhere is noticed", () => {
  const page =
    "`process/understudy.ts`, src/main.ts, src/nowhere, `holder/start/warm.ts`, [c](../native/none.c), native/threads.c";
  expect(missing(page)).toEqual(["process/understudy.ts", "src/nowhere", "../native/none.c"]);
});
