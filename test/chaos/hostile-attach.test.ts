/** Whatever those say who attach, or do not: the command runs on, the holder stays small, and the others see everything. */
import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { ATTACH_FRAME, encodeInput } from "../../src/protocol/wire/attach.ts";
import { decodeJson, encodeFrame, FRAME } from "../../src/protocol/wire/frames.ts";
import { ECHO } from "./detached.ts";
import { HELLO, RawClient } from "./raw-client.ts";
import { size, until } from "./size.ts";
import { attach, attacked, DETACH, heard, oddAttach, oddSize, resize, RUNS, type Target, VALID } from "./attacked.ts";

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

test("whatever frames an attached client sends, in whatever order", async () => {
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
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(frame, { maxLength: 10 }),
        fc.boolean(),
        fc.boolean(),
        async (frames, reads, atOnce) => {
          using client = await RawClient.dial(path, { reads });
          const said = [HELLO, attach(VALID), ...frames];
          await client.say(...(atOnce ? [Buffer.concat(said)] : said));
        },
      ),
      { numRuns: RUNS },
    );
  };
  // Whatever is typed: no key of its terminal means anything.
  await attacked(work, "stty raw -echo; echo ready; cat");
});
