/** session.screen with since_revision: only what has changed, and everything where that cannot be told. */
import { expect, test } from "bun:test";
import { dial, end, withDaemon } from "./household.ts";
import { Bench } from "../support/holt.ts";

const SIZE = { cols: 40, rows: 6 };
const ADA = ["sh", "-c", "echo one; echo two; read a; echo three; read b"];

test("Rows that have changed are told, from the first look on, and a revision that is unknown gives everything.", async () => {
  await withDaemon(async (client) => {
    const { session_id } = await client.call("session.start", { argv: ADA, pty: SIZE });
    await client.call("session.wait", { session_id, until: { screen_match: "two" } });
    await client.call("session.wait", { session_id, until: { idle_ms: 50 } });
    const first = await client.call("session.screen", { session_id });
    expect(first).toMatchObject({ content: "one\ntwo", revision: "10-40x6" });
    expect(Object.hasOwn(first, "changed") || Object.hasOwn(first, "revision_known")).toBe(false);
    const look = (since_revision: string) => client.call("session.screen", { session_id, since_revision });
    expect((await look(first.revision)).changed).toEqual([]);
    await client.call("session.send", { session_id, text: "x\n" });
    await client.call("session.wait", { session_id, until: { screen_match: "three" } });
    await client.call("session.wait", { session_id, until: { idle_ms: 50 } });
    const second = await look(first.revision);
    expect(second).toMatchObject({
      changed: [
        { row: 2, text: "x" },
        { row: 3, text: "three" },
      ],
      revision_known: true,
    });
    expect(Object.hasOwn(second, "content")).toBe(false);
    for (const unknown of ["nonsense", "99999-40x6", "10-41x6"])
      expect(await look(unknown)).toMatchObject({ revision_known: false, content: "one\ntwo\nx\nthree" });
    await client.call("session.resize", { session_id, cols: 50, rows: 6 });
    expect(await look(second.revision)).toMatchObject({ revision_known: false, cols: 50 });
  });
});

test("A revision is good after the daemon was killed, and after the session has ended.", async () => {
  using bench = Bench.withDaemon();
  await bench.run(["daemon"]);
  try {
    let revision: string;
    let session_id: string;
    {
      using client = await dial(bench);
      ({ session_id } = await client.call("session.start", { argv: ADA, pty: SIZE }));
      await client.call("session.wait", { session_id, until: { screen_match: "two" } });
      await client.call("session.wait", { session_id, until: { idle_ms: 50 } });
      ({ revision } = await client.call("session.screen", { session_id }));
    }
    bench.killDaemon();
    await bench.run(["daemon"]);
    using client = await dial(bench);
    await client.call("session.send", { session_id, text: "x\ny\n" });
    await client.call("session.wait", { session_id });
    const { changed } = await client.call("session.screen", { session_id, since_revision: revision });
    expect(changed?.map(({ row }) => row)).toEqual([2, 3, 4]);
  } finally {
    await end(bench);
  }
});
