/**
 * Frames that are none, by the thousand, in either framing. Each is answered as it must be, and once; where nothing can be told apart any more that is said, and the daemon hangs up.
 * Meanwhile another connection is served as ever, and in the end the daemon has neither grown nor anything left open.
 *
 * A reviewer found that this asserted less than it said: nobody looked at the answers, and each caller said that it says no more before it waited for the daemon to hang up,
 * which the daemon then does of any connection. Only who is cut short says so now.
 */
import { expect, test } from "bun:test";
import * as fc from "fast-check";
import type { DaemonClient } from "../../src/client/daemon/daemon-client.ts";
import { withDaemon } from "../daemon/household.ts";
import type { Bench } from "../support/holt.ts";
import { daemonState, WARM_HOLDERS } from "./daemon-state.ts";
import { FramedCaller } from "./framed-caller.ts";
import { answersTo, inWords, NO_MESSAGE } from "./junk-answers.ts";
import { size, until } from "./size.ts";

const FRAMES = size(1000, 10_000);
const A_BATCH = 20;
/** As if nothing were left of any frame: what the runtime's heap goes up and down by. */
const MOST_KB = 16_000;
const ROUNDS = 3;
/** A smaller one would be looked for on a connection that has gone wrong already. */
const ONCE = { endOnFailure: true };

/** No number: those are the ids of calls that are meant. */
const id = fc.oneof(
  fc.string(),
  fc.constant(null),
  fc.boolean(),
  fc.array(fc.jsonValue()),
  fc.dictionary(fc.string(), fc.jsonValue()),
);
const reads = fc.constantFrom("session.get", "session.read", "session.wait", "session.list", "health.info");

const junk: fc.Arbitrary<Buffer> = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc
    .oneof(
      fc.string(),
      fc.json(),
      fc.array(fc.jsonValue(), { maxLength: 5 }).map((batch) => JSON.stringify(batch)),
      fc
        .record({ jsonrpc: fc.constantFrom("2.0", "1.0", 2), id, method: fc.string(), params: fc.jsonValue() })
        .map((call) => JSON.stringify(call)),
      fc
        .record({ jsonrpc: fc.constant("2.0"), id, method: reads, params: fc.jsonValue() })
        .map((call) => JSON.stringify(call)),
      // Cut off in the middle.
      fc
        .tuple(reads, fc.nat(60))
        .map(([method, length]) => JSON.stringify({ jsonrpc: "2.0", id: "cut", method, params: {} }).slice(0, length)),
    )
    .map((text) => Buffer.from(text)),
);

/** Begins as a header does, and is none. */
const brokenHeader: fc.Arbitrary<Buffer> = fc.oneof(
  fc.string({ maxLength: 20 }).map((length) => Buffer.from(`Content-Length: x${length}\r\n\r\n{}`)),
  fc.integer({ max: -1 }).map((length) => Buffer.from(`Content-Length: ${length}\r\n\r\n{}`)),
  fc.nat(100).map((length) => Buffer.from(`Content-Length: ${length}\r\nContent-Length: ${length + 1}\r\n\r\n{}`)),
  fc.bigInt({ min: 10n ** 16n, max: 10n ** 40n }).map((length) => Buffer.from(`Content-Length: ${length}\r\n\r\n{}`)),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from([0x43, ...bytes, 13, 10, 13, 10])),
  fc.nat(4000).map((length) => Buffer.alloc(4097 + length, "C")),
  junk.map((body) => Buffer.concat([Buffer.from("Content-Type: text\r\n\r\n"), body])),
);

/** Of the message that the header announces, less than all. */
const cutShort: fc.Arbitrary<Buffer> = fc
  .tuple(junk, fc.integer({ min: 1, max: 1000 }))
  .map(([body, more]) => Buffer.concat([headOf(body.length + more), body]));

const doomed = fc.oneof(
  { weight: 7, arbitrary: brokenHeader.map((frame) => ({ frame, isCutShort: false })) },
  { weight: 1, arbitrary: cutShort.map((frame) => ({ frame, isCutShort: true })) },
);

const headOf = (length: number): Buffer => Buffer.from(`Content-Length: ${length}\r\n\r\n`);
const inHeaders = (body: Buffer): Buffer => Buffer.concat([headOf(body.length), body]);
const inLine = (body: Buffer): Buffer => Buffer.from([...body.map((byte) => (byte === 10 ? 32 : byte)), 10]);

/** In two writes, wherever that cuts. */
function write(caller: FramedCaller, frames: readonly Buffer[], cut: number): void {
  const bytes = Buffer.concat(frames);
  caller.write(bytes.subarray(0, cut));
  caller.write(bytes.subarray(cut));
}

async function leavesNothing(
  bench: Bench,
  client: DaemonClient,
  some: (batches: number) => Promise<void>,
): Promise<void> {
  await until("holders are ready", async () => (await client.call("health.info", {})).warm >= WARM_HOLDERS);
  const pid = bench.daemonPid ?? 0;
  const batches = FRAMES / A_BATCH;
  await some(size(batches, batches / 5)); // in fewer it is still growing to what it keeps
  const grown: number[] = [];
  let early = await daemonState(pid, client);
  for (let round = 0; round < ROUNDS; round++) {
    await some(batches);
    const late = await daemonState(pid, client);
    console.log(`memory ${early.memory} kB, then ${late.memory} kB; descriptors ${early.fds}, then ${late.fds}`);
    expect(bench.daemonPid).toBe(pid);
    expect(late.fds).toBeLessThanOrEqual(early.fds);
    grown.push(late.memory - early.memory);
    early = late;
  }
  // What it leaves behind it leaves behind each time; what it only keeps, once, and that in any of them.
  expect(median(grown)).toBeLessThan(MOST_KB);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Each once, and nothing else: what comes too much is found here with the next ones. */
async function areAnswered(bodies: readonly Uint8Array[], caller: FramedCaller): Promise<void> {
  const wanted = bodies.flatMap(answersTo);
  expect((await caller.others(wanted.length)).map(inWords).toSorted()).toEqual(wanted.toSorted());
}

const batchOf = <T>(frame: fc.Arbitrary<T>, length: number) =>
  fc.array(frame, { minLength: length, maxLength: length });

test(`${FRAMES} malformed lines: each is answered once, the connection lives, and another one's ping is answered after each batch`, async () => {
  await withDaemon(async (client, bench) => {
    using caller = await FramedCaller.dial(bench, "lines");
    expect(await caller.call("health.info")).toHaveProperty("result"); // so that lines they are, whatever the next begins with
    const property = fc.asyncProperty(batchOf(junk, A_BATCH), fc.nat(400), async (bodies, cut) => {
      const lines = bodies.map(inLine);
      write(caller, lines, cut);
      expect(await caller.call("health.info")).toHaveProperty("result");
      await areAnswered(lines, caller);
      expect(await client.call("health.info", {})).toHaveProperty("pid");
    });
    await leavesNothing(bench, client, (batches) => fc.assert(property, { ...ONCE, numRuns: batches }));
    await areAnswered([], caller);
  });
}, 900_000);

test(`${FRAMES} malformed frames behind headers: a message that is none is answered, a header that is none ends its connection alone`, async () => {
  await withDaemon(async (client, bench) => {
    using caller = await FramedCaller.dial(bench, "headers");
    const half = A_BATCH / 2;
    const property = fc.asyncProperty(
      batchOf(junk, half),
      batchOf(doomed, half),
      fc.nat(400),
      async (bodies, broken, cut) => {
        write(caller, bodies.map(inHeaders), cut);
        expect(await caller.call("health.info")).toHaveProperty("result");
        await areAnswered(bodies, caller);
        for (const { frame, isCutShort } of broken) {
          using unlucky = await FramedCaller.dial(bench, "headers");
          write(unlucky, [frame], cut);
          if (isCutShort) unlucky.saysNoMore();
          await unlucky.isHungUpOn();
          expect((await unlucky.others(1)).map(inWords)).toEqual([NO_MESSAGE]);
        }
        expect(await client.call("health.info", {})).toHaveProperty("pid");
      },
    );
    await leavesNothing(bench, client, (batches) => fc.assert(property, { ...ONCE, numRuns: batches }));
    await areAnswered([], caller);
  });
}, 900_000);
