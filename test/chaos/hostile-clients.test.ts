/** Whatever is said at a holder's socket: the command runs on, the holder stays small, and who behaves gets every byte. */
import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { follow } from "../../src/client/read/follow.ts";
import { decodeJson, encodeFrame, encodeJsonFrame, FRAME, MAX_FRAME_BYTES } from "../../src/protocol/wire/frames.ts";
import { layoutAt } from "../../src/transcript/layout.ts";
import { Bench, HOLT } from "../support/holt.ts";
import { socketsOf } from "../support/sockets.ts";
import { privateMemory } from "./processes.ts";
import { followFrom, HELLO, RawClient } from "./raw-client.ts";
import { size, until } from "./size.ts";

const MAX_MEMORY_KB = 100 * 1024;

/** A session that waits for `go`, then runs the script, and exits 7. */
class Target implements AsyncDisposable {
  readonly bench = new Bench();
  readonly #proc;

  constructor(script: string) {
    const waiting = `until [ -e go ]; do sleep 0.02; done; ${script}; exit 7`;
    this.#proc = Bun.spawn([HOLT, "run", "--session-id", "x", "--", "sh", "-c", waiting], {
      env: this.bench.env,
      cwd: this.bench.root,
      stdio: ["ignore", "ignore", "inherit"],
    });
  }

  get holder(): number {
    return this.#proc.pid;
  }

  async socket(): Promise<string> {
    await until("the session runs", () => {
      try {
        return this.bench.meta("x").process !== null;
      } catch {
        return false;
      }
    });
    return this.bench.meta("x").socket ?? "";
  }

  go(): void {
    writeFileSync(join(this.bench.root, "go"), "");
  }

  async exitCode(): Promise<number> {
    return this.#proc.exited;
  }

  /** What a follower that behaves gets from the beginning to the end. */
  async followed(): Promise<{ bytes: number; hash: string; gaps: number }> {
    const hasher = new Bun.CryptoHasher("sha1");
    const seen = { bytes: 0, hash: "", gaps: 0 };
    const layout = layoutAt(this.bench.state);
    for await (const item of follow({ id: "x", cursor: 0, signal: AbortSignal.timeout(60_000), layout })) {
      if (item.type === "gap") seen.gaps++;
      if (item.type !== "data") continue;
      expect(item.cursor).toBe(seen.bytes);
      seen.bytes += item.bytes.length;
      hasher.update(item.bytes);
    }
    return { ...seen, hash: hasher.digest("hex") };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#proc.kill("SIGTERM"); // the command's too, where a test has failed
    await this.#proc.exited;
    this.bench[Symbol.dispose]();
  }
}

async function expectedOf(script: string): Promise<{ bytes: number; hash: string; gaps: number }> {
  const proc = Bun.spawn(["sh", "-c", script], { stdio: ["ignore", "pipe", "inherit"] });
  const hasher = new Bun.CryptoHasher("sha1");
  let bytes = 0;
  for await (const chunk of proc.stdout) {
    hasher.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, hash: hasher.digest("hex"), gaps: 0 };
}

function lengthPrefix(length: number): Uint8Array {
  const bytes = new Uint8Array(5);
  new DataView(bytes.buffer).setUint32(0, length, true);
  return bytes;
}

function jsonable(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value) ?? "null");
  } catch {
    return null;
  }
}

const SOME = "seq 1 300000";

describe("at a holder's socket", () => {
  test.each([
    ["garbage", [new Uint8Array(100_000).fill(255)]],
    ["a length of zero", [lengthPrefix(0)]],
    ["a length of 4 GiB", [lengthPrefix(0xffffffff)]],
    ["a length just too long", [lengthPrefix(MAX_FRAME_BYTES + 1)]],
    ["FOLLOW before HELLO", [followFrom("0")]],
    ["HELLO without a protocol", [encodeJsonFrame(FRAME.hello, { holt_version: "x" })]],
    ["HELLO that is no JSON", [encodeFrame(FRAME.hello, new Uint8Array([0xff, 0x7b]))]],
    ["a cursor that is a number", [HELLO, encodeJsonFrame(FRAME.follow, { cursor: 0 })]],
    ["a negative cursor", [HELLO, followFrom("-1")]],
    ["a cursor beyond all numbers", [HELLO, followFrom("9".repeat(400))]],
  ])("%s is answered with an error and hung up on", async (_, said) => {
    await using target = new Target(SOME);
    using client = await RawClient.dial(await target.socket());
    await client.say(...said);
    await client.hears(FRAME.error);
    await client.isHungUpOn();
    target.go();
    const [seen, code] = await Promise.all([target.followed(), target.exitCode()]);
    expect({ ...seen, code }).toEqual({ ...(await expectedOf(SOME)), code: 7 });
  });

  test("whatever is requested is answered under its id, and the command runs on", async () => {
    await using target = new Target(SOME);
    using client = await RawClient.dial(await target.socket());
    await client.say(HELLO);
    let id = 0;
    const answers = (type: number): Record<string, unknown>[] =>
      client.frames.filter((frame) => frame.type === type).map(({ payload }) => decodeJson(payload) ?? {});
    // What ends the session is left out: everybody who may connect may end it.
    const method = fc.oneof(
      fc.constantFrom("input", "resize", "rename", "", "__proto__", "constructor"),
      fc.string({ maxLength: 20 }),
    );
    const request = fc.record({ method, params: fc.anything() });
    await fc.assert(
      fc.asyncProperty(request, async ({ method: name, params }) => {
        if (["stop", "kill", "signal"].includes(name)) return;
        const own = ++id;
        await client.say(encodeJsonFrame(FRAME.request, { id: own, method: name, params: jsonable(params) }));
        await until("it is answered", () =>
          [...answers(FRAME.error), ...answers(FRAME.result)].some((answer) => answer["id"] === own),
        );
        client.frames.length = 0;
      }),
      { numRuns: size(300, 10_000) },
    );
    await client.say(
      encodeJsonFrame(FRAME.request, { id: "x", method: "kill" }),
      encodeFrame(FRAME.request, new Uint8Array([1])),
    );
    await until("what is no request is complained of", () => answers(FRAME.error).length === 2);
    target.go();
    const [seen, code] = await Promise.all([target.followed(), target.exitCode()]);
    expect({ ...seen, code }).toEqual({ ...(await expectedOf(SOME)), code: 7 });
  });

  test("half frames, silence and a hundred connections keep nobody from reading", async () => {
    await using target = new Target(SOME);
    const path = await target.socket();
    const clients = await Promise.all(Array.from({ length: 100 }, () => RawClient.dial(path)));
    try {
      await Promise.all(clients.map((client, i) => client.say(HELLO.subarray(0, i % HELLO.length))));
      await until("all but 72 are refused", () => clients.filter(({ isClosed }) => isClosed).length === 28);
      expect(privateMemory(target.holder)).toBeLessThan(MAX_MEMORY_KB);
      target.go();
      // No place is left at the socket: the file has it all the same.
      const [seen, code] = await Promise.all([target.followed(), target.exitCode()]);
      expect({ ...seen, code }).toEqual({ ...(await expectedOf(SOME)), code: 7 });
    } finally {
      for (const client of clients) client[Symbol.dispose]();
    }
  });

  test("places that are given up can be taken again", async () => {
    await using target = new Target(SOME);
    const path = await target.socket();
    const sockets = (): number => socketsOf(target.holder);
    const before = sockets();
    for (let round = 0; round < 3; round++) {
      const clients = await Promise.all(Array.from({ length: 64 }, () => RawClient.dial(path)));
      await Promise.all(clients.map((client) => client.say(HELLO)));
      await Promise.all(clients.map((client) => client.hears(FRAME.hello)));
      for (const client of clients) client[Symbol.dispose]();
      await until("the holder has let them go", () => sockets() <= before);
    }
    using client = await RawClient.dial(path);
    await client.say(HELLO, followFrom("0"));
    await client.hears(FRAME.hello);
    target.go();
    await client.hears(FRAME.end);
  });

  /**
   * Found here: each frame of an unknown type was answered with an ERROR frame, and the answers to somebody who never read them
   * piled up: 26 MB of five-byte frames took 2 GB of the holder's memory.
   */
  test("a flood of unknown frames by somebody who reads nothing is cut off", async () => {
    await using target = new Target(SOME);
    using client = await RawClient.dial(await target.socket(), { reads: false });
    await client.say(HELLO);
    const nonsense = Buffer.concat(Array.from({ length: 10_000 }, () => encodeFrame(77, new Uint8Array(0))));
    for (let sent = 0; sent < 20_000_000 && !client.isClosed; sent += nonsense.length) await client.say(nonsense);
    await client.isHungUpOn();
    expect(privateMemory(target.holder)).toBeLessThan(MAX_MEMORY_KB);
    target.go();
    const [seen, code] = await Promise.all([target.followed(), target.exitCode()]);
    expect({ ...seen, code }).toEqual({ ...(await expectedOf(SOME)), code: 7 });
  });

  test("followers that never read neither stop a flood of 200 MB nor fill the holder's memory", async () => {
    const flood = "seq 1 24000000";
    await using target = new Target(flood);
    const path = await target.socket();
    const idle = await Promise.all(Array.from({ length: size(4, 60) }, () => RawClient.dial(path, { reads: false })));
    try {
      await Promise.all(idle.map((client) => client.say(HELLO, followFrom("0"))));
      let most = 0;
      const watching = setInterval(() => {
        try {
          most = Math.max(most, privateMemory(target.holder));
        } catch {
          // it has ended
        }
      }, 20);
      const started = performance.now();
      target.go();
      const code = await target.exitCode();
      clearInterval(watching);
      expect(code).toBe(7);
      expect(performance.now() - started).toBeLessThan(30_000);
      expect(most).toBeGreaterThan(0);
      expect(most).toBeLessThan(size(1, 3) * MAX_MEMORY_KB);
      expect(await target.followed()).toEqual(await expectedOf(flood));
    } finally {
      for (const client of idle) client[Symbol.dispose]();
    }
  });

  test("no malformed conversation stops the holder", async () => {
    await using target = new Target(SOME);
    const path = await target.socket();
    const types = fc.constantFrom(0, 1, 2, 3, 4, 5, 6, 7, 16, 31, 255);
    const json = fc.json().map((text) => Buffer.from(text));
    const payload = fc.oneof(fc.uint8Array({ maxLength: 300 }), json);
    const frame = fc.tuple(types, payload).map(([type, bytes]) => encodeFrame(type, bytes));
    const follows = fc.oneof(fc.nat(), fc.string(), fc.bigInt()).map((cursor) => followFrom(String(cursor)));
    const part = fc.oneof(frame, follows, fc.constant(HELLO), fc.uint8Array({ maxLength: 64 }));
    const conversation = fc.tuple(fc.boolean(), fc.array(part, { maxLength: 8 }), fc.nat(20));
    await fc.assert(
      fc.asyncProperty(conversation, async ([greets, parts, cut]) => {
        using client = await RawClient.dial(path, { reads: false });
        const all = Buffer.concat(greets ? [HELLO, ...parts] : parts);
        await client.say(all.subarray(0, cut), all.subarray(cut));
      }),
      { numRuns: size(150, 50_000) },
    );
    target.go();
    const [seen, code] = await Promise.all([target.followed(), target.exitCode()]);
    expect({ ...seen, code }).toEqual({ ...(await expectedOf(SOME)), code: 7 });
  });
});
