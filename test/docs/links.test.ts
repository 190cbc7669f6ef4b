/** Relative links of README, CONTRIBUTING, CHANGELOG and docs lead to a file and an anchor that exist. */
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { anchorsOf, PAGES, ROOT, withoutCode } from "./pages.ts";

const LINK = /\[(?:[^\][]|\[[^\]]*\])*\]\(([^)\s]+)\)/g;

function broken(page: string, text: string): string[] {
  return Array.from(withoutCode(text).matchAll(LINK), ([, target = ""]) => target).filter((target) => {
    if (/^[a-z]+:/.test(target)) return false;
    const [path = "", anchor] = target.split("#");
    const file = path === "" ? join(ROOT, page) : join(ROOT, dirname(page), path);
    if (!existsSync(file)) return true;
    return anchor !== undefined && !anchorsOf(readFileSync(file, "utf8")).has(anchor);
  });
}

for (const page of PAGES) {
  test(`The links of ${page} lead somewhere.`, () => {
    expect(broken(page, readFileSync(join(ROOT, page), "utf8"))).toEqual([]);
  });
}

test("A link to a missing file or anchor is noticed.", () => {
  const text = "[a](docs/none.md) [b](README.md#nowhere) [c](README.md#quick-start) [d](#install) [e](https://x.test)";
  expect(broken("README.md", text)).toEqual(["docs/none.md", "README.md#nowhere"]);
});
