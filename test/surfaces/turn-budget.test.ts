/**
 * All calls of one read were once answered before the event loop served other connections,
 * because a resolved promise needs no turn of the loop. A connection that sent thousands of calls
 * at once blocked the daemon for as long as they took.
 */
import { expect, test } from "bun:test";
import { bytesOf } from "../../src/protocol/types/bytes.ts";
import type { Methods } from "../../src/surfaces/jsonrpc/calls.ts";
import { lines, TestClient } from "./test-client.ts";

const CALLS = 20_000;
const CALLS_PER_TURN = 64;
const LONG_CALL_WEIGHT = 16;

/** A stopped clock, so that the machine's speed does not end a turn. */
const stoppedClock = (): number => 0;

test.each([
  ["synchronously", () => 1, CALLS_PER_TURN],
  ["with a resolved promise", async () => 1, CALLS_PER_TURN / LONG_CALL_WEIGHT],
])(
  "a flood of calls that are answered %s gets only its share of each turn of the loop",
  async (_title, call, share) => {
    const flood = new TestClient({ knows: () => true, logRefused: () => "r-1", call }, "all", stoppedClock);
    const other = new TestClient({ knows: () => true, logRefused: () => "r-1", call }, "all", stoppedClock);
    flood.connection.receive(lines(CALLS));
    await Promise.resolve();
    let turns = 0;
    while (flood.answered.length < CALLS) {
      const before = flood.answered.length;
      other.connection.receive(lines(1));
      await new Promise(setImmediate); // all waiting connections have had a turn by then
      expect(other.answered.length).toBe(++turns);
      expect(flood.answered.length - before).toBe(Math.min(share, CALLS - before));
    }
    expect(flood.answered).toEqual(Array.from({ length: CALLS }, (_, id) => id));
    await new Promise(setImmediate);
    expect(flood.isPaused).toBe(false);
    flood.connection.ended();
    await flood.over.promise;
  },
);

/** The number of calls that a flood begins in its first turn, when each takes `msEach`. */
function callsInFirstTurn(msEach: number): number {
  let now = 0;
  let calls = 0;
  const call = (): number => {
    now += msEach;
    return ++calls;
  };
  const flood = new TestClient({ knows: () => true, logRefused: () => "r-1", call }, "all", () => now);
  flood.connection.receive(lines(CALLS));
  flood.connection.closed();
  return calls;
}

test.each([
  ["64 calls at most", 0, CALLS_PER_TURN],
  ["64 calls that take less than two milliseconds together", 0.03, CALLS_PER_TURN],
  ["the calls that begin within two milliseconds, and one more", 0.5, 5],
  ["one call of two milliseconds, and one more", 2, 2],
])("a turn is %s", (_title, msEach, calls) => {
  expect(callsInFirstTurn(msEach)).toBe(calls);
});

test("calls that wait for their turn are dropped with their connection", async () => {
  let calls = 0;
  const flood = new TestClient(
    { knows: () => true, logRefused: () => "r-1", call: () => ++calls },
    "all",
    stoppedClock,
  );
  flood.connection.receive(lines(CALLS));
  flood.connection.closed();
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  expect(calls).toBe(CALLS_PER_TURN);
});

test("at the limit of running calls one can be cancelled, and the next begins", async () => {
  const begun: number[] = [];
  const methods: Methods = {
    knows: () => true,
    logRefused: () => "r-1",
    call: (_method, _params, { signal }) => {
      begun.push(begun.length);
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("given up"))));
    },
  };
  const client = new TestClient(methods);
  client.connection.receive(lines(CALLS_PER_TURN));
  await new Promise(setImmediate);
  client.connection.receive(bytesOf('{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":7}}\n'));
  client.connection.receive(lines(2));
  // When the turn's time was up, the next call begins in a later turn than the answer.
  while (client.answered.length === 0 || begun.length === CALLS_PER_TURN) await new Promise(setImmediate);
  expect(client.answered).toEqual([7]);
  expect(begun.length).toBe(CALLS_PER_TURN + 1);
  client.connection.closed();
});
