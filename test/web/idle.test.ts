/** A session in which nothing happens ends after its time; that somebody comes, goes, or looks at it in another size is something. */
import { expect, test } from "bun:test";
import { isFinal } from "../../src/protocol/types/session.ts";
import { until } from "../chaos/size.ts";
import { type Served, withWeb } from "./served.ts";
import type { Terminal } from "./terminal-client.ts";

const TTL_MS = 2000;
const EVERY_MS = 250;
/** Says no more, whatever is done to it. */
const MUTE = ["sh", "-c", "stty -echo; echo ready; exec cat >/dev/null"];

async function stateOf({ client }: Served, session_id: string): Promise<string> {
  return (await client.call("session.get", { session_id })).state;
}

/** Found in review: only output and input counted, so that a terminal ended under whoever had just sat down at it. */
test("An attach, a detach and a resize of an attached client put off the idle timeout; to sit there and do nothing does not.", async () => {
  await withWeb(
    async (served) => {
      const [visited, resized, left, watched] = [
        await served.start(MUTE),
        await served.start(MUTE),
        await served.start(MUTE),
        await served.start(MUTE),
      ];
      const driver = await served.attach(resized, { query: { cols: "80", rows: "24" } });
      const idle = await served.attach(watched);
      await Promise.all([driver.hears("history"), idle.hears("history")]);
      let visitor: Terminal | null = null;
      let cols = 80;
      for (const began = performance.now(); performance.now() - began < 2 * TTL_MS; await Bun.sleep(EVERY_MS)) {
        if (visitor === null) {
          visitor = await served.attach(visited);
          await visitor.hears("history");
        } else {
          visitor.close();
          visitor = null;
        }
        driver.resize(++cols, 24);
      }
      expect([await stateOf(served, visited), await stateOf(served, resized)]).toEqual(["running", "running"]);
      for (const id of [left, watched]) expect(served.bench.final(id)).toMatchObject({ reason: "idle_timeout" });
      for (const id of [visited, resized]) {
        await until("it is left alone, and ends", async () => isFinal((await stateOf(served, id)) as "running"));
        expect(served.bench.final(id)).toMatchObject({ reason: "idle_timeout" });
      }
    },
    `pty.idle_ttl_seconds = ${TTL_MS / 1000}`,
  );
});
