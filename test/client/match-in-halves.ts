/**
 * A program for the test, because the search starts its own program again: waits for a match in
 * output that comes in two halves, the second after the first was searched in vain.
 */
import type { MetCondition } from "../../src/client/wait/conditions/condition.ts";
import { watchMatch } from "../../src/client/wait/conditions/match.ts";
import { LocalSessions } from "../../src/client/sessions/local-sessions.ts";
import { SEARCH_COMMAND } from "../../src/client/read/search-process.ts";
import { bytesOf } from "../../src/protocol/types/bytes.ts";
import { layoutAt } from "../../src/transcript/layout.ts";

const [first, ...halves] = process.argv.slice(2);
if (first === SEARCH_COMMAND) {
  const { main } = await import("../../src/cli/commands/output/search-child.ts");
  process.exit(await main());
}
const told: (MetCondition | "unjudged" | "searched")[] = [];
const context = {
  sessions: new LocalSessions(layoutAt("/nonexistent")),
  id: "s",
  meet: (met: MetCondition) => void told.push(met),
  unjudged: () => void told.push("unjudged"),
  fail(error: unknown) {
    throw error;
  },
};
const watcher = watchMatch(context, new RegExp(first ?? ""));
let cursor = 0;
for (const bytes of halves.map(bytesOf)) {
  await watcher.take?.({ type: "data", cursor, timestamp: 0, channel: "stdout", bytes });
  told.push("searched");
  cursor += bytes.length;
}
watcher[Symbol.dispose]();
console.log(JSON.stringify(told));
