import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const LINES = 600_000;

async function printed(script: string): Promise<string[]> {
  const cwd = mkdtempSync(join(tmpdir(), "p-"));
  const argv = [process.execPath, join(import.meta.dir, "pumped.ts"), script];
  const proc = Bun.spawn(argv, { cwd, stdin: "ignore", stdout: "pipe", stderr: "inherit" });
  const pieces = JSON.parse(await new Response(proc.stdout).text()) as string[];
  expect(await proc.exited).toBe(0);
  rmSync(cwd, { recursive: true });
  return pieces;
}

/** Reads of a flood are gathered, behind each other in one buffer: none may be lost, repeated or delivered before the one that it follows. */
test("a flood at a terminal is delivered whole and in order", async () => {
  const pieces = await printed(`seq 1 ${LINES} > all; cat all`);
  const expected = `${Array.from({ length: LINES }, (_, i) => i + 1).join("\n")}\n`;
  expect(pieces.join("") === expected).toBe(true);
});

test("what is no flood is delivered as it was printed, without anything that follows it", async () => {
  const seen = (bytes: number): string => `until [ -e seen-${bytes} ]; do sleep 0.01; done`;
  const block = "head -c 4096 /dev/zero | tr '\\0' x";
  const pieces = await printed(`printf one; ${seen(3)}; printf two; ${seen(6)}; ${block}; ${seen(4102)}; printf three`);
  expect(pieces.join("")).toBe(`onetwo${"x".repeat(4096)}three`);
  expect([pieces.at(0), pieces.at(1), pieces.at(-1)]).toEqual(["one", "two", "three"]);
});
