/**
 * A read right behind a wait found no output: bytes are on disk before the wait ends, but their
 * index record came some milliseconds later. It became visible when a key's echo was sent before
 * its index record.
 */
import { expect, test } from "bun:test";
import { withDaemon } from "../daemon/household.ts";

test("what a wait told of can be read at once", async () => {
  await withDaemon(async (client) => {
    const { session_id } = await client.call("session.start", { argv: ["cat"], pty: false });
    let cursor = "0";
    for (let round = 0; round < 40; round++) {
      const waiting = client.call("session.wait", { session_id, cursor, until: ["output"] });
      await client.call("session.send", { session_id, text: `${round}\n` });
      expect(await waiting).toMatchObject({ outcome: "data" });
      const view = round % 2 === 0 ? ("raw" as const) : ("text" as const);
      const { chunks, text, next_cursor } = await client.call("session.read", { session_id, cursor, view });
      const read = text ?? chunks?.map(({ data }) => Buffer.from(data, "base64").toString()).join("");
      expect(read?.trim()).toBe(String(round));
      cursor = next_cursor;
    }
    await client.call("session.kill", { session_id });
  });
});
