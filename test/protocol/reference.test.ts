import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { reference } from "../../scripts/reference.ts";

test.each([...reference()])("%s is what the table says: `make reference` writes it anew", (path, text) => {
  expect(readFileSync(join(import.meta.dir, "../..", path), "utf8")).toBe(text);
});
