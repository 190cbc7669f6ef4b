/** What one connection may ask for: whatever it sends, others have their turns, and what it holds is bounded. */
import { expect, test } from "bun:test";
import { bytesOf } from "../../src/protocol/types/bytes.ts";
import type { Methods } from "../../src/surfaces/jsonrpc/calls.ts";
import { lines, Talk } from "./talk.ts";

const FLOOD = 20_000;
const A_TURN = 64;
const AT_ONCE = 64;
const MIB = 1024 * 1024;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const HARMLESS: Methods = { knows: () => true, refused: () => "r-1", call: () => 1 };

/** Calls that end when they are given up, or never. */
function patient(): { methods: Methods; begun: number[] } {
  const begun: number[] = [];
  const methods: Methods = {
    knows: () => true,
    refused: () => "r-1",
    call: (_method, params, { signal }) => {
      begun.push((params as { n?: number } | undefined)?.n ?? begun.length);
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("given up"))));
    },
  };
  return { methods, begun };
}

const outcomes = (talk: Talk): { id: number; error?: { data: { code: string } } }[] =>
  talk.sent.map((text) => JSON.parse(text));

/**
 * Found by a breaker: answers to what is no message went out at once, all of them, in time that grew with the square of their number: 20,000 lines of "x" kept a daemon
 * from everybody for half a minute, and went on to do so when their sender was gone.
 */
test.each([
  ["lines", "x\n"],
  ["messages behind a header", "Content-Length: 1\r\n\r\nx"],
  ["calls that are none", '{"jsonrpc":"2.0"}\n'],
  ["batches of nothing", "[1,2,3]\n"],
])(
  "a flood of malformed %s has its share of each turn, waits for whoever does not read, and ends with its connection",
  async (_title, malformed) => {
    const flood = new Talk(HARMLESS);
    const other = new Talk(HARMLESS);
    flood.conversation.receive(bytesOf(malformed.repeat(FLOOD)));
    for (let turns = 1; flood.sent.length < FLOOD / 4; turns++) {
      const before = flood.sent.length;
      other.conversation.receive(lines(1));
      await turn();
      expect(other.sent.length).toBe(turns);
      expect(flood.sent.length - before).toBeLessThanOrEqual(2 * A_TURN);
    }
    flood.conversation.closed();
    const told = flood.sent.length;
    for (let i = 0; i < 5; i++) await turn();
    expect(flood.sent.length).toBe(told);

    const deaf = new Talk(HARMLESS, "nothing");
    deaf.conversation.receive(bytesOf(malformed.repeat(FLOOD)));
    while (deaf.unread <= MIB) await turn();
    const unread = deaf.unread;
    for (let i = 0; i < 5; i++) await turn();
    expect({ unread: deaf.unread, isPaused: deaf.isPaused }).toEqual({ unread, isPaused: true });
    expect(unread).toBeLessThan(2 * MIB);
  },
);

/**
 * Found by a reviewer: behind 64 calls that took their time the connection was not read, so that `$/cancelRequest` came when they were over, and a connection that had hung up was
 * not missed: its 64 commands ran on.
 */
test("behind as many calls as may be under way, and others that wait, any of them can be given up at once", async () => {
  const { methods, begun } = patient();
  const talk = new Talk(methods);
  const cancel = (id: number): void =>
    talk.conversation.receive(bytesOf(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":${id}}}\n`));
  talk.conversation.receive(lines(AT_ONCE + 36));
  while (begun.length < AT_ONCE) await turn();
  for (let i = 0; i < 5; i++) await turn();
  expect({ begun: begun.length, isPaused: talk.isPaused }).toEqual({ begun: AT_ONCE, isPaused: false });
  cancel(80);
  while (talk.sent.length < 1) await turn();
  cancel(3);
  while (talk.sent.length < 2) await turn();
  const [waiting, underWay] = outcomes(talk);
  expect(waiting).toMatchObject({ id: 80, error: { data: { code: "ECANCELED" } } });
  expect(underWay).toMatchObject({ id: 3 });
  while (begun.length < AT_ONCE + 1) await turn();
  talk.conversation.closed();
  for (let i = 0; i < 5; i++) await turn();
  expect(begun.length).toBe(AT_ONCE + 1);
});

test("what waits behind them is bounded: past that it is refused, and not carried out", async () => {
  const { methods, begun } = patient();
  const talk = new Talk(methods);
  const padding = "x".repeat(MIB);
  const long = (id: number): Uint8Array =>
    bytesOf(`${JSON.stringify({ jsonrpc: "2.0", id, method: "x", params: { padding, n: id } })}\n`);
  talk.conversation.receive(lines(AT_ONCE));
  while (begun.length < AT_ONCE) await turn();
  for (let id = 100; id < 110; id++) {
    talk.conversation.receive(long(id));
    await turn();
  }
  while (talk.sent.length < 3) await turn();
  expect(outcomes(talk).map(({ id, error }) => [id, error?.data.code])).toEqual([
    [107, "ERLIMIT"],
    [108, "ERLIMIT"],
    [109, "ERLIMIT"],
  ]);
  expect(begun.length).toBe(AT_ONCE);
  talk.conversation.closed();
});

/** Found by a reviewer: a batch of 120 reads of 4 MiB was 3 GB in the daemon, as all answers wait for the last. */
test("a batch whose answers become too long is answered with what fits, and the rest of it is not carried out", async () => {
  let calls = 0;
  const talk = new Talk({
    knows: () => true,
    refused: () => "r-1",
    call: async () => {
      calls++;
      return "x".repeat(4 * MIB);
    },
  });
  const batch = Array.from({ length: 1000 }, (_, id) => ({ jsonrpc: "2.0", id, method: "x" }));
  talk.conversation.receive(bytesOf(`${JSON.stringify(batch)}\n`));
  while (talk.sent.length === 0) await turn();
  const [text = ""] = talk.sent;
  const answers = JSON.parse(text) as { id: number; result?: string; error?: { data: { code: string } } }[];
  expect(text.length).toBeLessThan(17 * MIB);
  expect(answers.map(({ id }) => id)).toEqual(batch.map(({ id }) => id));
  expect(answers.filter(({ result }) => result !== undefined)).toHaveLength(3);
  expect(answers.filter(({ error }) => error?.data.code === "ERLIMIT")).toHaveLength(997);
  expect(calls).toBeLessThanOrEqual(AT_ONCE + 3);
});

/** Found by a reviewer: 64 reads of 4 MiB that nobody took were 1.8 GB in the daemon, and half a minute in which nobody else was answered. */
test("calls that say that they answer with much take turns, and wait until the answers are taken", async () => {
  let underWay = 0;
  let most = 0;
  let begun = 0;
  const methods: Methods = {
    knows: () => true,
    refused: () => "r-1",
    answerBytes: () => 5 * MIB,
    call: async () => {
      begun++;
      most = Math.max(most, ++underWay);
      await turn();
      underWay--;
      return "x".repeat(5 * MIB);
    },
  };
  const deaf = new Talk(methods, "nothing");
  deaf.conversation.receive(lines(AT_ONCE));
  while (deaf.sent.length === 0) await turn();
  for (let i = 0; i < 5; i++) await turn();
  expect({ most, begun, sent: deaf.sent.length }).toEqual({ most: 1, begun: 1, sent: 1 });
  deaf.unread = 0;
  deaf.conversation.drained();
  while (deaf.sent.length < 2) await turn();
  expect({ most, begun }).toEqual({ most: 1, begun: 2 });
  deaf.conversation.closed();
});
