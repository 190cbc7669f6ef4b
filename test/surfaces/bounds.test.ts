/** The bounds of one connection: other connections keep their turns, and its memory is limited. */
import { expect, test } from "bun:test";
import { bytesOf } from "../../src/protocol/types/bytes.ts";
import type { Methods } from "../../src/surfaces/jsonrpc/calls.ts";
import { lines, TestClient } from "./test-client.ts";

const FLOOD = 20_000;
const CALLS_PER_TURN = 64;
const MAX_RUNNING = 64;
const MIB = 1024 * 1024;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const HARMLESS: Methods = { knows: () => true, logRefused: () => "r-1", call: () => 1 };

/** Calls that end only when they are cancelled. */
function cancellableCalls(): { methods: Methods; begun: number[] } {
  const begun: number[] = [];
  const methods: Methods = {
    knows: () => true,
    logRefused: () => "r-1",
    call: (_method, params, { signal }) => {
      begun.push((params as { n?: number } | undefined)?.n ?? begun.length);
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("given up"))));
    },
  };
  return { methods, begun };
}

const outcomes = (client: TestClient): { id: number; error?: { data: { code: string } } }[] =>
  client.sent.map((text) => JSON.parse(text));

/**
 * Found by a tester: answers to malformed messages were all sent at once, in quadratic time:
 * 20,000 lines of "x" blocked a daemon for half a minute, even after their sender was gone.
 */
test.each([
  ["lines", "x\n"],
  ["messages behind a header", "Content-Length: 1\r\n\r\nx"],
  ["calls that are none", '{"jsonrpc":"2.0"}\n'],
  ["batches of nothing", "[1,2,3]\n"],
])(
  "a flood of malformed %s gets its share of each turn, waits for a client that does not read, and ends with its connection",
  async (_title, malformed) => {
    const flood = new TestClient(HARMLESS);
    const other = new TestClient(HARMLESS);
    flood.connection.receive(bytesOf(malformed.repeat(FLOOD)));
    for (let turns = 1; flood.sent.length < FLOOD / 4; turns++) {
      const before = flood.sent.length;
      other.connection.receive(lines(1));
      await turn();
      expect(other.sent.length).toBe(turns);
      expect(flood.sent.length - before).toBeLessThanOrEqual(2 * CALLS_PER_TURN);
    }
    flood.connection.closed();
    const told = flood.sent.length;
    for (let i = 0; i < 5; i++) await turn();
    expect(flood.sent.length).toBe(told);

    const nonReader = new TestClient(HARMLESS, "nothing");
    nonReader.connection.receive(bytesOf(malformed.repeat(FLOOD)));
    while (nonReader.unread <= MIB) await turn();
    const unread = nonReader.unread;
    for (let i = 0; i < 5; i++) await turn();
    expect({ unread: nonReader.unread, isPaused: nonReader.isPaused }).toEqual({ unread, isPaused: true });
    expect(unread).toBeLessThan(2 * MIB);
  },
);

/**
 * Found by a reviewer: behind 64 long calls the connection was not read, so a `$/cancelRequest`
 * took effect only after them, and a hang-up was not noticed: its 64 commands ran on.
 */
test("at the limit of running calls, any running or queued call can be cancelled at once", async () => {
  const { methods, begun } = cancellableCalls();
  const client = new TestClient(methods);
  const cancel = (id: number): void =>
    client.connection.receive(bytesOf(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":${id}}}\n`));
  client.connection.receive(lines(MAX_RUNNING + 36));
  while (begun.length < MAX_RUNNING) await turn();
  for (let i = 0; i < 5; i++) await turn();
  expect({ begun: begun.length, isPaused: client.isPaused }).toEqual({ begun: MAX_RUNNING, isPaused: false });
  cancel(80);
  while (client.sent.length < 1) await turn();
  cancel(3);
  while (client.sent.length < 2) await turn();
  const [waiting, underWay] = outcomes(client);
  expect(waiting).toMatchObject({ id: 80, error: { data: { code: "ECANCELED" } } });
  expect(underWay).toMatchObject({ id: 3 });
  while (begun.length < MAX_RUNNING + 1) await turn();
  client.connection.closed();
  for (let i = 0; i < 5; i++) await turn();
  expect(begun.length).toBe(MAX_RUNNING + 1);
});

test("queued calls are bounded: beyond the bound they are refused and not carried out", async () => {
  const { methods, begun } = cancellableCalls();
  const client = new TestClient(methods);
  const padding = "x".repeat(MIB);
  const long = (id: number): Uint8Array =>
    bytesOf(`${JSON.stringify({ jsonrpc: "2.0", id, method: "x", params: { padding, n: id } })}\n`);
  client.connection.receive(lines(MAX_RUNNING));
  while (begun.length < MAX_RUNNING) await turn();
  for (let id = 100; id < 110; id++) {
    client.connection.receive(long(id));
    await turn();
  }
  while (client.sent.length < 3) await turn();
  expect(outcomes(client).map(({ id, error }) => [id, error?.data.code])).toEqual([
    [107, "ERLIMIT"],
    [108, "ERLIMIT"],
    [109, "ERLIMIT"],
  ]);
  expect(begun.length).toBe(MAX_RUNNING);
  client.connection.closed();
});

/**
 * Found by a reviewer: a batch of 120 reads of 4 MiB took 3 GB in the daemon, because all answers
 * wait for the last.
 */
test("a batch whose answers become too long is answered with those that fit, and its other calls are not carried out", async () => {
  let calls = 0;
  const client = new TestClient({
    knows: () => true,
    logRefused: () => "r-1",
    call: async () => {
      calls++;
      return "x".repeat(4 * MIB);
    },
  });
  const batch = Array.from({ length: 1000 }, (_, id) => ({ jsonrpc: "2.0", id, method: "x" }));
  client.connection.receive(bytesOf(`${JSON.stringify(batch)}\n`));
  while (client.sent.length === 0) await turn();
  const [text = ""] = client.sent;
  const answers = JSON.parse(text) as { id: number; result?: string; error?: { data: { code: string } } }[];
  expect(text.length).toBeLessThan(17 * MIB);
  expect(answers.map(({ id }) => id)).toEqual(batch.map(({ id }) => id));
  expect(answers.filter(({ result }) => result !== undefined)).toHaveLength(3);
  expect(answers.filter(({ error }) => error?.data.code === "ERLIMIT")).toHaveLength(997);
  expect(calls).toBeLessThanOrEqual(MAX_RUNNING + 3);
});

/**
 * Found by a reviewer: 64 reads of 4 MiB whose client did not read took 1.8 GB in the daemon, and
 * blocked it for half a minute.
 */
test("calls with large answers take turns, and wait until the answers are read", async () => {
  let underWay = 0;
  let most = 0;
  let begun = 0;
  const methods: Methods = {
    knows: () => true,
    logRefused: () => "r-1",
    answerBytes: () => 5 * MIB,
    call: async () => {
      begun++;
      most = Math.max(most, ++underWay);
      await turn();
      underWay--;
      return "x".repeat(5 * MIB);
    },
  };
  const nonReader = new TestClient(methods, "nothing");
  nonReader.connection.receive(lines(MAX_RUNNING));
  while (nonReader.sent.length === 0) await turn();
  for (let i = 0; i < 5; i++) await turn();
  expect({ most, begun, sent: nonReader.sent.length }).toEqual({ most: 1, begun: 1, sent: 1 });
  nonReader.unread = 0;
  nonReader.connection.drained();
  while (nonReader.sent.length < 2) await turn();
  expect({ most, begun }).toEqual({ most: 1, begun: 2 });
  nonReader.connection.closed();
});
