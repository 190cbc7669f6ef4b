/** What has been answered before is sent as the bytes that it was: for whoever asks, that must make no difference. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { LastingAnswers } from "../../src/daemon/lasting-answers.ts";
import { lasting } from "../../src/protocol/lasting.ts";
import { answerText } from "../../src/surfaces/jsonrpc/messages.ts";
import { until } from "../chaos/size.ts";
import { withDaemon } from "./household.ts";
import { RawCaller, request } from "./raw-caller.ts";

const RESULT = lasting({ text: "é €", count: 3 });

test("each is the line that the text would be, one behind the other", () => {
  const answers = new LastingAnswers();
  const ids = [0, 7, 10, 99, 100, 12_345_678_901, Number.MAX_SAFE_INTEGER];
  answers.take();
  for (const id of ids) expect(answers.put(id, RESULT)).toBe(true);
  const lines = ids.map((id) => `${answerText({ jsonrpc: "2.0", id, result: RESULT })}\n`);
  expect(new TextDecoder().decode(answers.bytes.subarray(0, answers.end))).toBe(lines.join(""));
});

test("its room is bounded, and used again when all have written", () => {
  const answers = new LastingAnswers();
  answers.take();
  answers.take();
  while (answers.put(1, RESULT));
  expect(answers.end).toBeGreaterThan(60_000);
  answers.giveBack();
  expect(answers.put(1, RESULT)).toBe(false);
  answers.giveBack();
  expect(answers.put(1, RESULT)).toBe(true);
});

interface Told {
  id: unknown;
  result?: { pid: number };
  error?: object;
}

const IDS = [1, 0, 12_345_678_901, "a", 1.5, -1, null, 2 ** 53 - 1, 4];

test.each([
  ["the same", ["health.info", "health.info", "health.info"]],
  ["one before another", ["health.info", "no.such", "health.info"]],
  ["one behind another", ["no.such", "health.info", "health.info"]],
])("of calls that come together, each has its answer, in order: %s", async (_, methods) => {
  await withDaemon(async (client, bench) => {
    const { pid } = await client.call("health.info", {});
    using caller = await RawCaller.dial(bench);
    for (const id of IDS) {
      await caller.write(methods.map((method) => request(id as number, method, {})).join(""));
      for (const method of methods) {
        const told = (await caller.next()) as Told;
        expect(told.id).toBe(id);
        if (method === "health.info") expect(told.result?.pid).toBe(pid);
        else expect(told.error).toBeDefined();
      }
    }
  });
});

/** The kernel takes a fifth of them, the daemon keeps some, and the rest is not read before those are. */
test("who reads nothing for a while gets every answer afterwards, in order", async () => {
  await withDaemon(async (client, bench) => {
    const { pid } = await client.call("health.info", {});
    const count = 6000;
    const told = { text: "", lines: 0 };
    const socket = await Bun.connect({
      unix: join(bench.state, "run", "daemon.sock"),
      socket: {
        data(_socket, bytes) {
          told.text += bytes.toString();
          told.lines += bytes.toString().split("\n").length - 1;
        },
      },
    });
    socket.pause();
    let rest = Buffer.from(Array.from({ length: count }, (_, id) => request(id, "health.info", {})).join(""));
    rest = rest.subarray(Math.max(0, socket.write(rest)));
    for (let asked = 0; asked < 20; asked++) expect((await client.call("health.info", {})).pid).toBe(pid);
    expect(told.lines).toBe(0);
    socket.resume();
    await until("all are answered", () => {
      if (rest.length > 0) rest = rest.subarray(Math.max(0, socket.write(rest)));
      return told.lines === count;
    });
    const answers = told.text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Told);
    expect(answers.map(({ id }) => id)).toEqual(Array.from({ length: count }, (_, id) => id));
    expect(answers.every(({ result }) => result?.pid === pid)).toBe(true);
    socket.end();
  });
});

test("who hangs up before the answer takes nothing with them", async () => {
  await withDaemon(async (client, bench) => {
    const { pid } = await client.call("health.info", {});
    for (let round = 0; round < 50; round++) {
      const callers = await Promise.all(Array.from({ length: 6 }, () => RawCaller.dial(bench)));
      await Promise.all(callers.map((caller, id) => caller.write(request(id, "health.info", {}))));
      for (const caller of callers.slice(3)) caller[Symbol.dispose]();
      for (const [id, caller] of callers.slice(0, 3).entries()) {
        expect(await caller.next()).toMatchObject({ id, result: { pid } });
        caller[Symbol.dispose]();
      }
    }
  });
});

test("who asks ten thousand times at once gets ten thousand answers, and others meanwhile theirs", async () => {
  await withDaemon(async (client, bench) => {
    using caller = await RawCaller.dial(bench);
    const count = 10_000;
    const writing = caller.write(Array.from({ length: count }, (_, id) => request(id, "health.info", {})).join(""));
    const others = await Promise.all(
      Array.from({ length: 40 }, async () => {
        using other = await RawCaller.dial(bench);
        await other.write(request(5, "health.info", {}));
        return (await other.next()) as Told;
      }),
    );
    const { pid } = await client.call("health.info", {});
    expect(others.every(({ id, result }) => id === 5 && result?.pid === pid)).toBe(true);
    for (let id = 0; id < count; id++) {
      const told = (await caller.next()) as Told;
      if (told.id !== id || told.result?.pid !== pid) throw new Error(`${id}: ${JSON.stringify(told)}`);
    }
    await writing;
  });
});
