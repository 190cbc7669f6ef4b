/** Sizes that no terminal has, storms of them, and screens that are large: the holder stays small, and the others see everything. */
import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { ATTACH_FRAME } from "../../src/protocol/wire/attach.ts";
import { decodeJson, FRAME } from "../../src/protocol/wire/frames.ts";
import { ECHO } from "./detached.ts";
import { privateMemory } from "./processes.ts";
import { HELLO, RawClient } from "./raw-client.ts";
import { size, until } from "./size.ts";
import { attach, attacked, heard, MAX_MEMORY_KB, oddSize, resize, RUNS, type Target, VALID } from "./attacked.ts";

const RESIZES = 10_000;

test("any RESIZE is answered by a replay or an error, and memory does not follow the size", async () => {
  await attacked(async ({ path }) => {
    using client = await RawClient.dial(path);
    await client.say(HELLO, attach(VALID));
    await client.hears(ATTACH_FRAME.replay);
    await fc.assert(
      fc.asyncProperty(oddSize, async (value) => {
        client.frames.length = 0;
        await client.say(resize(value));
        await until("it is answered", () => heard(client, FRAME.error, ATTACH_FRAME.replay));
      }),
      { numRuns: RUNS },
    );
  });
});

/**
 * Found here: one frame with a size of 65,535 by 65,535 made the emulator ask for 51 GB, cell by cell: the holder answered nobody any more, and
 * took 10 GB before it was killed.
 */
test("a terminal of 65,535 by 65,535 is no more than the holder can bear", async () => {
  await attacked(async ({ path, witness }) => {
    using client = await RawClient.dial(path);
    const huge = { cols: 65_535, rows: 65_535, width: 0, height: 0 };
    await client.say(HELLO, attach({ ...VALID, size: huge }));
    await client.hears(ATTACH_FRAME.replay);
    for (const [cols, rows] of [
      [65_535, 1],
      [1, 65_535],
      [65_535, 65_535],
      [1000, 1000],
      [80, 24],
    ]) {
      witness.replays.length = 0;
      await client.say(resize({ ...huge, cols, rows }));
      await until(`${cols}x${rows} is shown`, () => witness.replays.length > 0);
    }
  });
});

test("of a storm of resizes the program gets at most sixty a second, and the last one counts", async () => {
  const script = `trap 'printf w >> sizes' WINCH; ${ECHO}`;
  await attacked(async ({ path, bench, id }) => {
    using client = await RawClient.dial(path);
    await client.say(HELLO, attach(VALID));
    await client.hears(ATTACH_FRAME.replay);
    const resized = (): Record<string, unknown>[] => bench.events(id).filter(({ type }) => type === "resize");
    const started = performance.now();
    const sizes = Array.from({ length: RESIZES }, (_, i) => ({ cols: 40 + (i % 97), rows: 10 + (i % 31) }));
    await client.say(Buffer.concat(sizes.map((at) => resize({ ...at, width: 0, height: 0 }))));
    await client.say(resize({ cols: 201, rows: 23, width: 0, height: 0 }));
    await until("the last one counts", () => resized().at(-1)?.["cols"] === 201);
    const seconds = (performance.now() - started) / 1000;
    expect(resized().at(-1)).toMatchObject({ cols: 201, rows: 23 });
    expect(resized().length).toBeLessThan(3 + 60 * seconds);
    await client.say(resize(VALID.size));
    await until("it is as it was", () => resized().at(-1)?.["cols"] === 80);
  }, script);
});

/** Found here: each resize was answered with a replay, read or not: ten seconds of them, until the client was let go, took 200 MB. */
test("a storm of resizes by somebody who reads nothing fills no memory", async () => {
  await attacked(async ({ path, holder, witness }) => {
    await witness.sees("full");
    using client = await RawClient.dial(path, { reads: false });
    await client.say(HELLO, attach({ ...VALID, size: { cols: 300, rows: 100, width: 0, height: 0 } }));
    let most = 0;
    for (let round = 0; round < size(1500, RESIZES) && !client.isClosed; round++) {
      await client.say(resize({ cols: 300, rows: 100 - (round % 2), width: 0, height: 0 }));
      most = Math.max(most, privateMemory(holder));
      await Bun.sleep(1);
    }
    expect(most).toBeLessThan(MAX_MEMORY_KB);
  }, `stty -echo; echo ready; for i in $(seq 99); do printf '\\033[38;5;%dm%s' {1..255..3}; echo; done; echo full; ${ECHO}`);
});

/** Found here: the connection was closed behind what the kernel took at once, and `holt screen` rendered the whole transcript itself instead. */
test("a look at a screen of a megabyte gets all of it", async () => {
  const work = async ({ path, witness }: Target): Promise<void> => {
    await witness.sees("full");
    using client = await RawClient.dial(path);
    await client.say(HELLO, attach({ ...VALID, role: "viewer", size: null, once: true, scrollback: 0 }));
    await client.isHungUpOn();
    const head = decodeJson(
      client.frames.find(({ type }) => type === ATTACH_FRAME.replay)?.payload ?? new Uint8Array(),
    );
    const data = client.frames.filter(({ type }) => type === ATTACH_FRAME.replayData);
    expect(Number(head?.["bytes"])).toBeGreaterThan(1_000_000);
    expect(data.reduce((sum, { payload }) => sum + payload.length, 0)).toBe(Number(head?.["bytes"]));
  };
  const cells = `printf '\\033[38;5;%d;48;5;%dm#' $(seq 1 600 | sed p); echo`;
  await attacked(
    work,
    `stty -echo; line=$(${cells}); echo ready; for i in $(seq 99); do echo "$line"; done; echo full; ${ECHO}`,
    "600x100",
  );
});

/** Found here: `raw` had the holder read, filter and keep all of it for each client at once: 30 MB and a second for each that came. */
test("attached by the dozen with megabytes of history, and never read", async () => {
  const work = async ({ path, holder, witness }: Target): Promise<void> => {
    witness.type("\n");
    await witness.sees("full", 60_000);
    const clients: RawClient[] = [];
    using _all = { [Symbol.dispose]: () => clients.forEach((client) => client[Symbol.dispose]()) };
    let most = 0;
    for (let i = 0; i < 40; i++) {
      const client = await RawClient.dial(path, { reads: false });
      clients.push(client);
      const replay = ["raw", "screen", "none"][i % 3];
      const request = { ...VALID, size: null, replay, scrollback: 100_000, raw_bytes: 64 * 1024 * 1024 };
      await client.say(HELLO, attach({ ...request, ...(replay === "none" ? { cursor: "0" } : {}) }));
      await Bun.sleep(20);
      most = Math.max(most, privateMemory(holder));
    }
    expect(most).toBeLessThan(2 * MAX_MEMORY_KB);
  };
  await attacked(work, `stty -echo; echo ready; read -r line; seq 1 4000000; echo full; ${ECHO}`);
});
