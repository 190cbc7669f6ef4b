/**
 * All calls that one read had brought were answered before the loop looked at anybody else, since a promise that is kept already needs no turn of the loop: a
 * connection that sent thousands at once kept a daemon to itself for as long as they took.
 */
import { expect, test } from "bun:test";
import { bytesOf } from "../../src/protocol/bytes.ts";
import type { Methods } from "../../src/surfaces/jsonrpc/calls.ts";
import { lines, Talk } from "./talk.ts";

const CALLS = 20_000;
const A_TURN = 64;

test.each([
  ["at once", () => 1],
  ["with a promise that is kept already", async () => 1],
])(
  "a flood of calls that are answered %s has its share of each turn of the loop, and no more",
  async (_title, call) => {
    const flood = new Talk({ knows: () => true, call });
    const other = new Talk({ knows: () => true, call });
    flood.conversation.receive(lines(CALLS));
    await Promise.resolve();
    let turns = 0;
    while (flood.answered.length < CALLS) {
      const before = flood.answered.length;
      other.conversation.receive(lines(1));
      await new Promise(setImmediate); // behind which whoever waits has had a turn
      expect(other.answered.length).toBe(++turns);
      expect(flood.answered.length - before).toBeLessThanOrEqual(2 * A_TURN);
    }
    expect(flood.answered).toEqual(Array.from({ length: CALLS }, (_, id) => id));
    await new Promise(setImmediate);
    expect(flood.isPaused).toBe(false);
    flood.conversation.ended();
    await flood.over.promise;
  },
);

test("what waits for its turn is forgotten with its connection", async () => {
  let calls = 0;
  const flood = new Talk({ knows: () => true, call: () => ++calls });
  flood.conversation.receive(lines(CALLS));
  flood.conversation.closed();
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  // a turn is also over after a while, which on a busy machine may come first
  expect(calls).toBeGreaterThan(0);
  expect(calls).toBeLessThanOrEqual(A_TURN);
});

test("with as many calls under way as may be, one can be given up, and the next begins", async () => {
  const begun: number[] = [];
  const methods: Methods = {
    knows: () => true,
    call: (_method, _params, { signal }) => {
      begun.push(begun.length);
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("given up"))));
    },
  };
  const talk = new Talk(methods);
  talk.conversation.receive(lines(A_TURN));
  await new Promise(setImmediate);
  talk.conversation.receive(bytesOf('{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":7}}\n'));
  talk.conversation.receive(lines(2));
  while (talk.answered.length === 0) await new Promise(setImmediate);
  expect(talk.answered).toEqual([7]);
  expect(begun.length).toBe(A_TURN + 1);
  talk.conversation.closed();
});
