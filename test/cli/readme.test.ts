/** What README.md says of the interfaces is what they are. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { EXIT_CODES } from "../../src/cli/topics/exit-codes.ts";

const readme = readFileSync(join(import.meta.dir, "../../README.md"), "utf8");

test("It has the exit codes that holt help has, and no others.", () => {
  const table = readme.slice(readme.indexOf("## Exit codes"), readme.indexOf("## Where state lives"));
  const inReadme = new Set(Array.from(table.matchAll(/^\| (\d+) \|/gm), ([, code]) => code));
  const inHelp = new Set(Array.from(EXIT_CODES.text.matchAll(/^ {2}(\d+)\t/gm), ([, code]) => code));
  expect(inReadme).toEqual(inHelp);
});
