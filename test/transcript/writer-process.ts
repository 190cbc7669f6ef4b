/**
 * A holder in a process of its own, as far as its transcript is concerned: `writer-process.ts ROOT ID PLAN`. It appends
 * what belongs at each cursor, prints a line of JSON for each gap and one at the end, and ends as a holder does, or, with
 * `forever`, goes on until it is killed.
 */
import { layoutAt } from "../../src/transcript/layout.ts";
import { writeMeta } from "../../src/transcript/records.ts";
import { finalOf, Held, metaOf, patternAt } from "./scratch.ts";

export interface Plan {
  /** Sizes of the appends, over and over. */
  sizes: number[];
  appends: number | "forever";
  /** Turns of the event loop between appends, so that timers run. */
  everyMs?: number;
}

if (import.meta.main) await main();

async function main(): Promise<void> {
  const [root = "", id = "", plan = ""] = process.argv.slice(2);
  const { sizes, appends, everyMs = 0 } = JSON.parse(plan) as Plan;
  using held = new Held(layoutAt(root), id, { onGap: (gap) => console.log(JSON.stringify(gap)) });
  writeMeta(held.dir, metaOf(id));
  for (let turn = 0; turn < (appends === "forever" ? Number.POSITIVE_INFINITY : appends); turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    const channel = turn % 3 === 0 ? "stderr" : "stdout";
    held.writer.append(channel, patternAt(held.writer.produced, size), Date.now());
    if (everyMs > 0 || turn % 64 === 0) await Bun.sleep(everyMs);
  }
  held.writer.flushIndex();
  const { produced, truncated } = held.writer;
  held.dir.writeAtomic("final.json", JSON.stringify(finalOf(id, { output_bytes: produced, truncated })), {
    sync: false,
  });
  console.log(JSON.stringify({ produced }));
}
