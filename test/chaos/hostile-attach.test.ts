/** Whatever those say who attach, or do not: the command runs on, the holder stays small, and the others see everything. */
import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { ATTACH_FRAME, encodeInput } from "../../src/protocol/attach.ts";
import { decodeJson, encodeFrame, encodeJsonFrame, FRAME } from "../../src/protocol/frames.ts";
import { encodeLentInput } from "../../src/protocol/loan.ts";
import { Detached, ECHO, type Watcher } from "./detached.ts";
import { privateMemory } from "./processes.ts";
import { HELLO, RawClient } from "./raw-client.ts";
import { size, until } from "./size.ts";
import { UnreadTerminal } from "./unread-terminal.ts";

const RUNS = size(200, 10_000);
const RESIZES = 10_000;
const MAX_MEMORY_KB = 100 * 1024;

const VALID = {
  role: "driver",
  replay: "screen",
  size: { cols: 80, rows: 24, width: 0, height: 0 },
  scrollback: 10,
  raw_bytes: 1000,
  replaces: false,
  takeover: false,
  once: false,
  pid: 1,
  label: "x",
};

const attach = (value: unknown): Uint8Array => encodeJsonFrame(ATTACH_FRAME.attach, value);
const resize = (value: unknown): Uint8Array => encodeJsonFrame(ATTACH_FRAME.resize, value);
const DETACH = encodeJsonFrame(ATTACH_FRAME.detach, {});

interface Target {
  bench: Detached;
  id: string;
  path: string;
  holder: number;
  /** Attached all the while. */
  witness: Watcher;
}

/** A session with somebody attached to it, who must not notice anything. */
async function attacked(work: (target: Target) => Promise<void>, script = ECHO, cells = "80x24"): Promise<void> {
  using bench = new Detached();
  const id = await bench.start(script, ["--max-clients", "64", "--size", cells]);
  using witness = await bench.watch(id);
  await witness.sees("ready");
  const { socket } = bench.meta(id);
  const holder = bench.holder(id);
  await work({ bench, id, path: socket ?? "", holder, witness });
  witness.type("the end\n");
  await witness.sees("the end");
  expect(witness.last).toBeNull();
  await until("the holder is small", () => privateMemory(holder) < MAX_MEMORY_KB);
  await bench.end(id);
  expect(bench.final(id)).toMatchObject({ reason: "kill_requested", output_complete: true });
}

const odd = fc.oneof(
  fc.constantFrom(null, -1, 0, 1.5, 1e308, 65_535, 65_536, "", "80", "NaN", true, [], {}, "screen", "__proto__"),
  fc.anything({ maxDepth: 1 }).map(jsonable),
);
const dimension = fc.oneof(fc.integer({ min: 1, max: 65_535 }), odd);
const oddSize = fc.oneof(odd, fc.record({ cols: dimension, rows: dimension, width: odd, height: odd }));
const oddAttach = fc
  .tuple(fc.dictionary(fc.constantFrom(...Object.keys(VALID), "cursor"), odd, { maxKeys: 4 }), oddSize, fc.boolean())
  // To take the others' place is everybody's right.
  .map(([fields, at, sized]) => ({ ...VALID, ...fields, ...(sized ? { size: at } : {}), replaces: false }));

function jsonable(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value) ?? "null");
  } catch {
    return null;
  }
}

const heard = (client: RawClient, ...types: number[]): boolean =>
  client.frames.some(({ type }) => types.includes(type));

test("ATTACH with any field wrong is answered with why, or is taken; either way everybody else goes on", async () => {
  await attacked(async ({ path }) => {
    await fc.assert(
      fc.asyncProperty(oddAttach, async (request) => {
        using client = await RawClient.dial(path);
        await client.say(HELLO, attach(request));
        await until("it is answered", () => heard(client, FRAME.error, ATTACH_FRAME.replay));
        for (const { payload } of client.frames.filter(({ type }) => type === FRAME.error)) {
          const { code, message } = decodeJson(payload) ?? {};
          expect({ code, message }).toEqual({ code: "EBADARGS", message: expect.stringContaining("invalid") });
        }
      }),
      { numRuns: RUNS },
    );
  });
});

test("INPUT, RESIZE and DETACH of somebody who is not attached are complained of, and nothing is typed", async () => {
  await attacked(async ({ path, bench, id }) => {
    const frame = fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map(encodeInput),
      oddSize.map(resize),
      fc.constant(DETACH),
      fc.uint8Array({ maxLength: 50 }).map((bytes) => encodeFrame(ATTACH_FRAME.replay, bytes)),
    );
    await fc.assert(
      fc.asyncProperty(frame, async (bytes) => {
        using client = await RawClient.dial(path);
        await client.say(HELLO, bytes);
        await client.hears(FRAME.error);
      }),
      { numRuns: RUNS },
    );
    expect(bench.output(id).toString()).toBe("ready\r\n");
    expect(bench.events(id).filter(({ type }) => type === "input" || type === "resize")).toEqual([]);
  });
});

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

test("who has detached is gone: a second DETACH, and keys after it, are nobody's", async () => {
  await attacked(async ({ path, bench, id, witness }) => {
    for (let round = 0; round < RUNS / 10; round++) {
      using client = await RawClient.dial(path);
      const keys = encodeInput(Buffer.from("from beyond\n"));
      await client.say(Buffer.concat([HELLO, attach(VALID), DETACH, DETACH, keys, resize(VALID.size), DETACH]));
      await client.isHungUpOn();
      expect(client.frames.filter(({ type }) => type === ATTACH_FRAME.detached).length).toBe(1);
    }
    witness.type("all gone\n");
    await witness.sees("got all gone");
    expect(bench.output(id).toString()).not.toContain("beyond");
    const told = bench.events(id).filter(({ type }) => type === "attach" || type === "detach");
    expect(told.filter(({ type }) => type === "detach").length).toBe(
      told.length - 1 - told.filter(({ type }) => type === "detach").length,
    );
  });
});

test("a label of a megabyte is cut", async () => {
  await attacked(async ({ path, bench, id }) => {
    for (let round = 0; round < size(10, 500); round++) {
      using client = await RawClient.dial(path);
      await client.say(HELLO, attach({ ...VALID, label: `${"\x1b]0;".repeat(10)}${"l".repeat(900_000)}` }));
      await client.hears(ATTACH_FRAME.replay);
    }
    for (const { label } of bench.events(id).filter(({ type }) => type === "attach"))
      expect(String(label).length).toBeLessThanOrEqual(200);
    expect((await bench.run(["clients", id])).text).not.toContain("\x1b]");
  });
});

test("whoever hangs up at any point of a replay harms nobody", async () => {
  await attacked(async ({ path, witness }) => {
    await witness.sees("full");
    for (let round = 0; round < RUNS; round++) {
      const kind = ["screen", "raw", "none"][round % 3];
      using client = await RawClient.dial(path);
      const request = { ...VALID, replay: kind, scrollback: 1000, raw_bytes: 500_000 };
      await client.say(HELLO, attach({ ...request, ...(kind === "none" ? { cursor: "0" } : {}) }));
      await until("so much was read", () => client.bytes >= Math.min(round * 500, 60_000));
    }
  }, `stty -echo; echo ready; for i in $(seq 1100); do printf '\\033[3%dm%d\\033[0m ' $((i % 8)) {1..20}; echo; done; echo full; ${ECHO}`);
});

test.each(["its terminal lent", "nothing lent"])(
  "whatever frames an attached client sends, in whatever order, %s",
  async (loan) => {
    using terminal = new UnreadTerminal();
    const request = loan === "nothing lent" ? VALID : { ...VALID, terminal: terminal.slave };
    const work = async ({ path }: Target): Promise<void> => {
      const type = fc.constantFrom(...Object.values(FRAME), ...Object.values(ATTACH_FRAME), 0, 31, 255);
      const payload = fc.oneof(
        fc.uint8Array({ maxLength: 100 }),
        fc.json().map((text) => Buffer.from(text)),
      );
      const frame = fc.oneof(
        fc.tuple(type, payload).map(([number, bytes]) => encodeFrame(number, bytes)),
        oddSize.map(resize),
        oddAttach.map(attach),
        fc.constant(DETACH),
        fc.constant(encodeInput(Buffer.from("x"))),
        fc
          .tuple(fc.integer({ min: 0, max: 4 }), fc.uint8Array({ maxLength: 20 }))
          .map(([shown, keys]) => encodeLentInput(shown, keys)),
      );
      await fc.assert(
        fc.asyncProperty(
          fc.array(frame, { maxLength: 10 }),
          fc.boolean(),
          fc.boolean(),
          async (frames, reads, atOnce) => {
            using client = await RawClient.dial(path, { reads });
            const said = [HELLO, attach(request), ...frames];
            await client.say(...(atOnce ? [Buffer.concat(said)] : said));
            terminal.read();
          },
        ),
        { numRuns: RUNS },
      );
    };
    // Whatever is typed: no key of its terminal means anything.
    await attacked(work, "stty raw -echo; echo ready; cat");
  },
);

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
