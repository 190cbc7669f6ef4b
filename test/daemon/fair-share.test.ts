/**
 * Found by a reviewer: whoever read as fast as it was told was told all of a transcript before the loop looked at anybody else; with 256 subscriptions to 30 MB of output, a call
 * on another connection took five seconds.
 */
import { expect, test } from "bun:test";
import { LocalSessions } from "../../src/client/sessions/local-sessions.ts";
import { LiveSessions } from "../../src/daemon/sessions/live-sessions.ts";
import { Subscriptions } from "../../src/daemon/subscriptions/subscriptions.ts";
import { writeMeta } from "../../src/transcript/records.ts";
import { metaOf, Scratch } from "../transcript/scratch.ts";

const SUBSCRIPTIONS = 16;
const RECORDS = 40;

test("subscriptions are told one piece a turn of the loop, each as much as the others", async () => {
  using scratch = new Scratch();
  {
    using held = scratch.hold("long");
    writeMeta(held.dir, metaOf("long"));
    for (let i = 0; i < RECORDS; i++) {
      held.writer.append(i % 2 === 0 ? "stdout" : "stderr", Buffer.alloc(1000, 65 + i), Date.now());
      held.writer.flushIndex();
    }
  }
  const sessions = new LocalSessions(scratch.layout);
  using live = new LiveSessions(sessions);
  const subscriptions = new Subscriptions(sessions, live);
  const told = new Map<string, number>();
  let inThisTurn = 0;
  const ending = new AbortController();
  const listener = {
    closeSignal: ending.signal,
    async notify(method: string, params: object): Promise<void> {
      if (method !== "session.output") return;
      const { subscription_id: id } = params as { subscription_id: string };
      told.set(id, (told.get(id) ?? 0) + 1);
      inThisTurn++;
    },
  };
  for (let i = 0; i < SUBSCRIPTIONS; i++)
    subscriptions.add(listener, { session_id: "long", cursor: "0", events: ["output"] });
  const isAllTold = (): boolean =>
    told.size === SUBSCRIPTIONS && [...told.values()].every((count) => count === RECORDS);
  while (!isAllTold()) {
    inThisTurn = 0;
    await new Promise(setImmediate);
    expect(inThisTurn).toBeLessThanOrEqual(2);
    const counts = [...told.values()];
    if (told.size === SUBSCRIPTIONS) expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(2);
  }
  ending.abort();
});
