/** The generated reference of the configuration. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { configReference, REFERENCE } from "../../scripts/config-reference.ts";

test("docs/reference/config.md is what the table of keys says (`bun scripts/config-reference.ts` writes it)", () => {
  expect(readFileSync(REFERENCE, "utf8")).toBe(configReference());
});
