/** The recipes of docs/recipes.md work as printed. */
import { describe, expect, test } from "bun:test";
import { readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { end } from "../daemon/household.ts";
import { Bench, HOLT } from "../support/holt.ts";

const page = readFileSync(join(import.meta.dir, "../../docs/recipes.md"), "utf8");
const recipes = page
  .split(/^## /m)
  .slice(1)
  .map((section) => ({ title: section.slice(0, section.indexOf("\n")), script: blocksOf(section) }));

describe("A recipe", () => {
  test("is a section with something to run", () => {
    expect(recipes.map(({ script }) => script === "")).toEqual(recipes.map(() => false));
    expect(recipes.length).toBeGreaterThan(3);
  });

  test.each(recipes)("works as it stands: $title", async ({ script }) => {
    using bench = Bench.withDaemon();
    symlinkSync(HOLT, join(bench.root, "holt"));
    try {
      const run = Bun.spawn(["bash", "-euo", "pipefail", "-c", script], {
        cwd: bench.root,
        env: { ...bench.env, PATH: `${bench.root}:${dirname(process.execPath)}:${process.env["PATH"]}` },
        stdin: "ignore",
        stdout: "pipe",
        stderr: "pipe",
      });
      const [out, err] = await Promise.all([run.stdout.text(), run.stderr.text()]);
      expect({ exitCode: await run.exited, err, out }).toMatchObject({ exitCode: 0 });
    } finally {
      await end(bench);
    }
  });
});

function blocksOf(section: string): string {
  return Array.from(section.matchAll(/^```sh\n(.*?)^```$/gms), ([, text]) => text).join("");
}
