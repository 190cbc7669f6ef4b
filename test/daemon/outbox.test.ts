/** Answers are written together, so that many readers are woken at the price of one; nobody may wait long for that. */
import { expect, test } from "bun:test";
import { Outbox } from "../../src/daemon/outbox.ts";

class Sent {
  readonly names: string[] = [];

  sender(name: string): { write(): void } {
    return { write: () => this.names.push(name) };
  }
}

test("what several connections answer in one turn of the loop is written behind the last of them, in order", async () => {
  const sent = new Sent();
  const outbox = new Outbox(() => 0);
  for (const name of ["a", "b", "c"]) expect(outbox.add(sent.sender(name))).toBe(true);
  expect(sent.names).toEqual([]);
  await new Promise(setImmediate);
  expect(sent.names).toEqual(["a", "b", "c"]);
  expect(outbox.add(sent.sender("d"))).toBe(true);
  await new Promise(setImmediate);
  expect(sent.names).toEqual(["a", "b", "c", "d"]);
});

test("what has waited for half a millisecond waits for no other", async () => {
  const sent = new Sent();
  let now = 7;
  const outbox = new Outbox(() => now);
  outbox.add(sent.sender("a"));
  now = 7.4;
  expect(outbox.add(sent.sender("b"))).toBe(true);
  now = 7.5;
  expect(outbox.add(sent.sender("c"))).toBe(false);
  expect(sent.names).toEqual(["a", "b", "c"]);
  expect(outbox.add(sent.sender("d"))).toBe(true);
  await new Promise(setImmediate);
  expect(sent.names).toEqual(["a", "b", "c", "d"]);
});

/** Found by a review: one who was answered waited until the next connection's call was over, however long that took: 46 ms for a list, where it had been 2. */
test("who has an answer gets it before another's call begins that may take long", () => {
  const sent = new Sent();
  const outbox = new Outbox(() => 0);
  outbox.add(sent.sender("a"));
  outbox.before("health.info");
  expect(sent.names).toEqual([]);
  outbox.before("session.list");
  expect(sent.names).toEqual(["a"]);
});
