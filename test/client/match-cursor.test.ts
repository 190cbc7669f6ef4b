/**
 * The cursor of a matched wait used to lie past the whole piece that contained the match: output
 * right behind the match was then before the cursor, and the next wait missed it.
 */
import { expect, test } from "bun:test";
import { join } from "node:path";
import * as fc from "fast-check";
import { TextCursors } from "../../src/client/wait/conditions/text-cursors.ts";
import { PlainText } from "../../src/terminal/text/plain-text.ts";
import { withDaemon } from "../daemon/household.ts";
import { chunksOf, cuts, streams } from "../support/streams.ts";

test("two things that are printed at once can be waited for one after the other", async () => {
  await withDaemon(async (client) => {
    const argv = ["printf", "\\033[32mone\\033[0m two \\303\\251 three\\n"];
    const { session_id } = await client.call("session.start", { argv, pty: false });
    await client.call("session.wait", { session_id, until: ["exit"] });
    let cursor = "0";
    for (const match of ["one", "two", "é", "three"]) {
      const waited = await client.call("session.wait", { session_id, cursor, until: [{ match }], timeout_ms: 0 });
      expect(waited).toMatchObject({ outcome: "matched", match });
      cursor = waited.cursor;
    }
    expect(await client.call("session.wait", { session_id, cursor, until: [{ match: "three" }] })).toMatchObject({
      outcome: "exited",
    });
  });
});

/**
 * The engine gave up on such a line as if nothing matched, so a wait skipped the output behind it
 * and never ended.
 */
test("a line that could not be matched hides no other, and the answer reports it", async () => {
  await withDaemon(async (client) => {
    const argv = ["printf", `${"a".repeat(60)}!\\nready\\n`];
    const { session_id } = await client.call("session.start", { argv, pty: false });
    await client.call("session.wait", { session_id, until: ["exit"] });
    const until = (match: string) => client.call("session.wait", { session_id, cursor: "0", until: [{ match }] });
    expect(await until("(a+)+b|^ready$")).toMatchObject({ outcome: "matched", match: "ready", unjudged: true });
    expect(await until("(a+)+b|^never$")).toMatchObject({ outcome: "exited", match: null, unjudged: true });
    expect(await until("(r|e)+ady")).toMatchObject({ outcome: "matched", match: "ready", unjudged: false });
    const read = await client.call("session.read", { session_id, view: "text", grep: "(a+)+b|ready" });
    expect(read).toMatchObject({ matched: ["62"], unjudged: ["0"], truncated: true });
  });
});

/**
 * The next output was searched from its second character on, if the line that could not be matched
 * had no end yet.
 */
test("text behind a line that could not be matched is searched from its first character", async () => {
  const first = `${"a".repeat(60)}!`;
  const argv = [process.execPath, join(import.meta.dir, "match-in-halves.ts"), "(a+)+b|ready", first, "ready"];
  const told = await new Response(Bun.spawn(argv, { stdin: "ignore", stdout: "pipe" }).stdout).json();
  const met = { outcome: "matched", match: "ready", cursor: first.length + "ready".length };
  expect(told).toEqual(["unjudged", "searched", met, "searched"]);
});

test("a cursor is the same however the bytes are cut", () => {
  const property = fc.property(streams, cuts, fc.nat(60), (bytes, places, character) => {
    const whole = new PlainText();
    let expected = 0;
    for (let seen = 0; expected < bytes.length && seen < character; expected++)
      seen += whole.push(bytes.subarray(expected, expected + 1)).length;
    const text = new PlainText();
    const found = new TextCursors();
    let [cursor, before] = [0, 0];
    for (const chunk of chunksOf(bytes, places)) {
      const fresh = text.push(chunk);
      found.push({ cursor, bytes: chunk }, text.isBetween);
      const isHere = character > before && character <= before + fresh.length;
      if (isHere) expect(found.cursorAfter(character - before)).toBe(expected);
      before += fresh.length;
      cursor += chunk.length;
    }
  });
  fc.assert(property, { numRuns: 1000 });
});
