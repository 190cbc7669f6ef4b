/** A connection is cut, at any moment: who comes back with the cursor goes on where it was, no byte missing and none twice. */
import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { size, until } from "../chaos/size.ts";
import { ECHO, sharedWeb, withWeb } from "./served.ts";
import type { Terminal } from "./terminal-client.ts";

const web = sharedWeb("http.rate = 100000");

/** Numbered lines with colours, text of several bytes, and what a viewer is not shown, in pieces of any size. */
const PRINTS = (lines: number): string[] => [
  "python3",
  "-c",
  `import sys, random, os, time
random.seed(7)
print("ready", flush=True)
out = b"".join(b"\\x1b[3%dm%06d \\xe2\\x82\\xac\\x1b]52;c;c3RvbGVu\\x07\\x1b[0m\\r\\n" % (i %% 8, i) for i in range(${lines}))
sys.stdin.readline()
at = 0
while at < len(out):
    n = random.randint(1, 400)
    os.write(1, out[at:at+n]); at += n
    if random.random() < 0.3: time.sleep(0.001)
print("the end", flush=True)
sys.stdin.readline()`.replaceAll("%%", "%"),
];

const STOLEN = "\x1b]52;c;c3RvbGVu\x07";

/** Reads until it has so many bytes, then the connection breaks. */
async function read(terminal: Terminal, take: number): Promise<void> {
  await terminal.hears("history");
  // It may have been cut in the middle of that.
  await until("it has so much", () => terminal.bytes >= take || terminal.text.endsWith("nd\r\n"));
  terminal.cut();
}

/**
 * Found here: cut within a string that is left out, the cursor was in the middle of it, and what came next began with the rest of it as text. A string of which
 * nothing is shown is now before the cursor as a whole, or not at all.
 */
test("cut after any number of bytes, as often as it likes, a client has what one has who was there all the time", async () => {
  const served = web();
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 6000 }), { minLength: 1, maxLength: 12 }),
      fc.boolean(),
      async (cuts, isBinary) => {
        const id = await served.start(PRINTS(1500), { max_clients: 64 });
        const witness = await served.attach(id, { query: { cursor: "0" } });
        await witness.hears("history");
        witness.type("\r");
        const seen: Buffer[] = [];
        let cursor = "0";
        for (const take of [...cuts, Number.POSITIVE_INFINITY]) {
          if (Buffer.concat(seen).includes("the end")) break;
          const each = await served.attach(id, { isBinary, query: { cursor } });
          await read(each, take);
          seen.push(each.output);
          cursor = each.cursor;
        }
        await witness.sees("the end");
        const [got, all] = [Buffer.concat(seen).toString(), witness.output.toString()];
        expect(got.slice(0, got.indexOf("the end"))).toBe(all.slice(0, all.indexOf("the end")));
        const kept = served.bench.output(id).toString().replaceAll(STOLEN, "");
        expect(got.slice(0, got.indexOf("the end"))).toBe(kept.slice(0, kept.indexOf("the end")));
        await served.client.call("session.kill", { session_id: id });
      },
    ),
    { numRuns: size(6, 100), endOnFailure: true },
  );
});

test("who comes back when the session has ended gets the rest, and how it ended", async () => {
  const served = web();
  const id = await served.start(PRINTS(200));
  const first = await served.attach(id, { query: { cursor: "0" } });
  await first.hears("history");
  first.type("\r\r");
  await until("it has some", () => first.bytes > 1000);
  first.cut();
  await served.client.call("session.wait", { session_id: id, until: ["exit"] });
  const rest = await served.attach(id, { query: { cursor: first.cursor } });
  expect(await rest.hears("exit")).toMatchObject({ code: 0 });
  const got = Buffer.concat([first.output, rest.output]).toString();
  expect(got).toBe(served.bench.output(id).toString().replaceAll(STOLEN, ""));
});

/** Found here: with a cursor past the end, a client saw nothing until the session had printed that much. */
test("from a cursor past the end it goes on from the end", async () => {
  const served = web();
  const id = await served.start(ECHO);
  for (const isBinary of [false, true]) {
    const terminal = await served.attach(id, { isBinary, query: { cursor: "999999999999999" } });
    const end = String(served.bench.output(id).length);
    expect(await terminal.hears("history")).toMatchObject({ cursor: end });
    terminal.type(`hello ${isBinary}\r`);
    await terminal.sees(`got hello ${isBinary}`);
    terminal.close();
  }
  await served.client.call("session.kill", { session_id: id });
  const late = await served.attach(id, { query: { cursor: "999999999999999" } });
  await late.hears("exit");
  expect(late.of("history")).toMatchObject([{ cursor: String(served.bench.output(id).length) }]);
});

test("a daemon that is killed takes nothing along: clients come back at their cursor with the next", async () => {
  await withWeb(async (served) => {
    const id = await served.start(PRINTS(1500));
    const tokens = [await served.token(id, "driver"), await served.token(id, "viewer"), served.ownerToken];
    const before = await Promise.all(tokens.map((token) => served.attach(id, { token, query: { cursor: "0" } })));
    for (const client of before) await client.hears("history");
    before[0]?.type("\r");
    await until("each has some", () => before.every(({ bytes }) => bytes > 2000));
    await served.killDaemon();
    for (const client of before) await client.isClosed();
    const after = await Promise.all(
      tokens.map((token, at) => served.attach(id, { token, query: { cursor: before[at]?.cursor ?? "" } })),
    );
    await until("all is printed", () => served.bench.output(id).includes("the end"));
    const kept = served.bench.output(id).toString().replaceAll(STOLEN, "");
    // One that read fast may have had it all before.
    const all = Buffer.byteLength(kept);
    await until("each has all", () => after.every(({ bytes }, at) => (before[at]?.bytes ?? 0) + bytes >= all));
    for (const [at, client] of after.entries())
      expect(Buffer.concat([before[at]?.output ?? Buffer.alloc(0), client.output]).toString()).toBe(kept);
    after[0]?.type("\r");
    for (const client of after) expect(await client.hears("exit")).toMatchObject({ code: 0 });
  });
});
