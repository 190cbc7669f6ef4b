/**
 * Two builds of one tree differed in half of all cases: the page's files stood in the executable in the order in which the bundler had read
 * its fonts. Nobody could check a release against its source.
 */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "..");
const scratch = mkdtempSync(join(tmpdir(), "same-build-"));
afterAll(() => rmSync(scratch, { recursive: true }));

/** The hash of what `command` writes to the path that it is given last. */
async function made(command: readonly string[], target: string, file = target): Promise<string> {
  const proc = Bun.spawn([...command, target], { cwd: ROOT, stdout: "pipe", stderr: "pipe" });
  expect({ exitCode: await proc.exited, stderr: await proc.stderr.text() }).toEqual({ exitCode: 0, stderr: "" });
  return Bun.SHA256.hash(await Bun.file(file).arrayBuffer(), "hex");
}

test("The page is the same each time.", async () => {
  const hashes = new Set<string>();
  for (let i = 0; i < 6; i++)
    hashes.add(await made([process.execPath, "scripts/page.ts"], join(scratch, `made-${i}.ts`)));
  expect(hashes.size).toBe(1);
});

test("The executable is the same each time.", async () => {
  const build = (name: string) => made(["scripts/build"], join(scratch, name), join(scratch, name, "holt"));
  expect(await build("one")).toBe(await build("two"));
}, 60_000);
