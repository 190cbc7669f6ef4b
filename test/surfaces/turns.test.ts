/**
 * All calls that one read had brought were answered before the loop looked at anybody else, since a promise that is kept already needs no turn of the loop: a
 * connection that sent thousands at once kept a daemon to itself for as long as they took.
 */
import { expect, test } from "bun:test";
import { bytesOf } from "../../src/protocol/types/bytes.ts";
import type { Methods } from "../../src/surfaces/jsonrpc/calls.ts";
import { lines, Talk } from "./talk.ts";

const CALLS = 20_000;
const A_TURN = 64;
const A_LONG_ONE = 16;

/** A clock that stands, so that the machine's speed ends no turn. */
const standing = (): number => 0;

test.each([
  ["at once", () => 1, A_TURN],
  ["with a promise that is kept already", async () => 1, A_TURN / A_LONG_ONE],
])(
  "a flood of calls that are answered %s has its share of each turn of the loop, and no more",
  async (_title, call, share) => {
    const flood = new Talk({ knows: () => true, refused: () => "r-1", call }, "all", standing);
    const other = new Talk({ knows: () => true, refused: () => "r-1", call }, "all", standing);
    flood.conversation.receive(lines(CALLS));
    await Promise.resolve();
    let turns = 0;
    while (flood.answered.length < CALLS) {
      const before = flood.answered.length;
      other.conversation.receive(lines(1));
      await new Promise(setImmediate); // behind which whoever waits has had a turn
      expect(other.answered.length).toBe(++turns);
      expect(flood.answered.length - before).toBe(Math.min(share, CALLS - before));
    }
    expect(flood.answered).toEqual(Array.from({ length: CALLS }, (_, id) => id));
    await new Promise(setImmediate);
    expect(flood.isPaused).toBe(false);
    flood.conversation.ended();
    await flood.over.promise;
  },
);

/** How many calls a flood begins in its first turn; each takes so long. */
function begunInATurn(msEach: number): number {
  let now = 0;
  let calls = 0;
  const call = (): number => {
    now += msEach;
    return ++calls;
  };
  const flood = new Talk({ knows: () => true, refused: () => "r-1", call }, "all", () => now);
  flood.conversation.receive(lines(CALLS));
  flood.conversation.closed();
  return calls;
}

test.each([
  ["64 calls, however quick they are", 0, A_TURN],
  ["64 calls that take less than two milliseconds together", 0.03, A_TURN],
  ["as many as two milliseconds are begun in, and the one after", 0.5, 5],
  ["one that took two milliseconds, and the one after", 2, 2],
])("a turn is %s", (_title, msEach, calls) => {
  expect(begunInATurn(msEach)).toBe(calls);
});

test("what waits for its turn is forgotten with its connection", async () => {
  let calls = 0;
  const flood = new Talk({ knows: () => true, refused: () => "r-1", call: () => ++calls }, "all", standing);
  flood.conversation.receive(lines(CALLS));
  flood.conversation.closed();
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  expect(calls).toBe(A_TURN);
});

test("with as many calls under way as may be, one can be given up, and the next begins", async () => {
  const begun: number[] = [];
  const methods: Methods = {
    knows: () => true,
    refused: () => "r-1",
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
  // Where the turn's time was up, the next call begins in another turn than the answer.
  while (talk.answered.length === 0 || begun.length === A_TURN) await new Promise(setImmediate);
  expect(talk.answered).toEqual([7]);
  expect(begun.length).toBe(A_TURN + 1);
  talk.conversation.closed();
});
