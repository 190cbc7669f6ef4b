/**
 * What `holt run` loads before the command starts, every session pays for: in the time of its first byte, and in memory for as long as it
 * lives. `node:fs`, `node:os` and `node:path` together were 1.5 ms and 0.7 MB.
 */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const SRC = join(import.meta.dir, "..", "..", "src");

test("nothing on the way from the command line to the command's start loads a module of node or of npm", () => {
  const bun = new Bun.Transpiler({ loader: "ts" });
  const foreign: string[] = [];
  const seen = new Set<string>();
  const walk = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    // The transpiler leaves out imports of types, as the build does.
    for (const { kind, path } of bun.scanImports(readFileSync(file, "utf8"))) {
      if (kind !== "import-statement") continue;
      if (path.startsWith(".")) walk(join(dirname(file), path));
      else if (path !== "bun:ffi") foreign.push(`${relative(SRC, file)}: ${path}`);
    }
  };
  walk(join(SRC, "main.ts"));
  walk(join(SRC, "cli/commands/sessions/run.ts"));
  expect(foreign).toEqual([]);
  expect(seen.size).toBeGreaterThan(40);
});
