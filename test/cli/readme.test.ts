/** What README.md says of the interfaces is what they are. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { EXIT_CODES } from "../../src/cli/topics/exit-codes.ts";
import { TABLE } from "../../src/protocol/table.schema.ts";

const readme = readFileSync(join(import.meta.dir, "../../README.md"), "utf8");

test("It has every method of the daemon, with all its parameters.", () => {
  for (const { name, params } of TABLE.values()) {
    const row = readme.split("\n").find((line) => line.startsWith(`| \`${name}\` |`)) ?? "";
    const [, , parameters = ""] = row.split("|");
    const named = Array.from(parameters.matchAll(/`(\w+)\??`/g), ([, word = ""]) => word);
    expect({ name, named: named.toSorted() }).toEqual({ name, named: Object.keys(params.shape).toSorted() });
  }
});

test("It has the exit codes that holt help has, and no others.", () => {
  const table = readme.slice(readme.indexOf("## Exit codes"), readme.indexOf("## Where state lives"));
  const inReadme = new Set(Array.from(table.matchAll(/^\| (\d+) \|/gm), ([, code]) => code));
  const inHelp = new Set(Array.from(EXIT_CODES.text.matchAll(/^ {2}(\d+)\t/gm), ([, code]) => code));
  expect(inReadme).toEqual(inHelp);
});
