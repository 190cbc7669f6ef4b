/**
 * A process that lists in a loop, and before each list touches ended sessions, as copying or
 * restoring them does. Prints a line once it has begun.
 */
import { mkdirSync, rmdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { LocalSessions } from "../../src/client/sessions/local-sessions.ts";
import { layoutAt } from "../../src/transcript/layout.ts";

const [root = "", ...ids] = process.argv.slice(2);
const layout = layoutAt(root);

for (let listed = 0; ; listed++) {
  const now = new Date();
  for (const id of ids) utimesSync(join(layout.sessions, id), now, now);
  mkdirSync(join(layout.sessions, ".changed"));
  rmdirSync(join(layout.sessions, ".changed"));
  new LocalSessions(layout).list(); // a new instance checks each directory
  if (listed === 0) console.log("listing");
}
