import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { reference } from "../../scripts/reference.ts";

test.each([...reference()])("%s matches the protocol table (run `make reference`)", (path, text) => {
  expect(readFileSync(join(import.meta.dir, "../..", path), "utf8")).toBe(text);
});
