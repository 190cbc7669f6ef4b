/** docs/exit-codes.md has the codes of `holt help exit-codes`. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { EXIT_CODES } from "../../src/cli/topics/exit-codes.ts";

const page = readFileSync(join(import.meta.dir, "../../docs/exit-codes.md"), "utf8");

test("It has the exit codes that holt help has, and no others.", () => {
  const inPage = new Set(Array.from(page.matchAll(/^\| (\d+) \|/gm), ([, code]) => code));
  const inHelp = new Set(Array.from(EXIT_CODES.text.matchAll(/^ {2}(\d+)\t/gm), ([, code]) => code));
  expect(inPage).toEqual(inHelp);
});
