/** A process that lists and lists, and before each time touches sessions that ended, as whoever copies or restores them does. Says so on its standard output once it has begun. */
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
  new LocalSessions(layout).list(); // one that is new looks at each directory
  if (listed === 0) console.log("listing");
}
