// Writes docs/reference/ from the protocol table: every method, notification and error, and their JSON Schemas.
//
//   bun scripts/reference.ts
//
// test/protocol/reference.test.ts fails when the files are not what this writes.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { methodsPage } from "./reference/methods-page.ts";
import { schemas } from "./reference/schemas.ts";

export function reference(): Map<string, string> {
  return new Map([
    ["methods.md", methodsPage()],
    ["schema.json", `${JSON.stringify(schemas(), null, 2)}\n`],
  ]);
}

if (import.meta.main) {
  const directory = join(import.meta.dir, "../docs/reference");
  mkdirSync(directory, { recursive: true });
  for (const [name, text] of reference()) writeFileSync(join(directory, name), text);
}
