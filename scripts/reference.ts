// Writes what is derived from the protocol table: docs/reference/, and the types of the client library.
//
//   bun scripts/reference.ts
//
// test/protocol/reference.test.ts fails when the files are not what this writes.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { methodsPage } from "./reference/methods-page.ts";
import { schemas } from "./reference/schemas.ts";
import { namesModule, typesModule } from "./reference/types.ts";

/** By their paths in the repository. */
export function reference(): Map<string, string> {
  return new Map([
    ["docs/reference/methods.md", methodsPage()],
    ["docs/reference/schema.json", `${JSON.stringify(schemas(), null, 2)}\n`],
    ["src/library/methods.ts", typesModule()],
    ["src/protocol/methods/method-names.ts", namesModule()],
  ]);
}

if (import.meta.main) {
  const root = join(import.meta.dir, "..");
  for (const [path, text] of reference()) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}
