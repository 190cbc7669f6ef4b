/** Whatever is said over a WebSocket: it is refused or served, and everybody else is answered all the while. */
import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { ATTACH_FRAME } from "../../src/protocol/wire/attach.ts";
import { anotherAddress, frameOf, RawWeb, requestOf, UPGRADE } from "../web/raw-web.ts";
import { ECHO, type Served, sharedWeb } from "../web/served.ts";
import { harmless, head } from "./harmless.ts";
import { privateMemory } from "./processes.ts";
import { size, until } from "./size.ts";

const web = sharedWeb("http.rate = 1000000");
/** Of typing, in the binary form. */
const MEGABYTE = Buffer.concat([Uint8Array.of(ATTACH_FRAME.input), Buffer.alloc(1024 * 1024 - 1, "x")]);

describe("Frames", () => {
  const DOORS = ["terminal", "stream", "rpc"] as const;
  const pathOf = (door: (typeof DOORS)[number], id: string): string =>
    ({
      terminal: `/api/v1/pty/sessions/${id}/attach?role=viewer`,
      stream: `/api/v1/sessions/${id}/stream`,
      rpc: "/api/v1/rpc",
    })[door];

  async function upgraded(served: Served, path: string, protocol = "holt.v1.json"): Promise<RawWeb> {
    const client = await RawWeb.dial({ port: served.port, from: anotherAddress() });
    client.write(requestOf(`GET ${path}`, { ...head(served, ""), "Sec-WebSocket-Protocol": protocol }));
    expect((await client.answer()).status).toBe(101);
    return client;
  }

  const odd = fc.oneof(
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    fc.json().map((text) => Buffer.from(text)),
    fc
      .record({
        type: fc.constantFrom("input", "resize", "attach", "detach", "ping", "x"),
        data: fc.jsonValue(),
        cols: fc.jsonValue(),
        rows: fc.jsonValue(),
        token: fc.jsonValue(),
      })
      .map((value) => Buffer.from(JSON.stringify(value))),
    fc
      .record({
        jsonrpc: fc.constantFrom("2.0", 2),
        id: fc.jsonValue(),
        method: fc.constantFrom("session.get", "", "x"),
        params: fc.jsonValue(),
      })
      .map((value) => Buffer.from(JSON.stringify(value))),
  );

  test.each(DOORS)("of any kind at a %s are answered or end that connection alone", async (door) => {
    const served = web();
    await harmless(served, async (id) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(fc.constantFrom(0, 1, 2, 3, 8, 9, 10, 15), odd, fc.boolean(), fc.boolean()), {
            minLength: 1,
            maxLength: 6,
          }),
          fc.constantFrom("holt.v1.json", "holt.v1.binary"),
          async (frames, protocol) => {
            using client = await upgraded(served, pathOf(door, id), protocol);
            for (const [opcode, payload, final, masked] of frames) client.frame(opcode, payload, { final, masked });
          },
        ),
        { numRuns: size(60, 2000) },
      );
    });
  });

  test.each(DOORS)("of more than 8 MiB at a %s end it, however they are cut", async (door) => {
    const served = web();
    await harmless(served, async (id) => {
      using whole = await upgraded(served, pathOf(door, id));
      whole.frame(1, Buffer.alloc(9 * 1024 * 1024, "x"));
      await whole.hangsUp();
      using cut = await upgraded(served, pathOf(door, id));
      for (let part = 0; part < 10; part++)
        cut.frame(part === 0 ? 1 : 0, Buffer.alloc(1024 * 1024, "x"), { final: false });
      await cut.hangsUp();
    });
  });

  test("of more than a megabyte of input are refused, and what a program does not read has a bound", async () => {
    const served = web();
    const id = await served.start(["sh", "-c", "stty raw -echo; echo ready; exec sleep 600"]);
    const terminal = await served.attach(id);
    await terminal.hears("history");
    terminal.type("x".repeat(1024 * 1024 + 1));
    expect(await terminal.hears("error")).toMatchObject({ code: "ERLIMIT" });
    const pid = served.bench.daemonPid ?? 0;
    for (let sent = 0; sent < 40 && terminal.closedWith === null; sent++) {
      terminal.type("x".repeat(1024 * 1024));
      await Bun.sleep(1);
    }
    expect(await terminal.isClosed()).toBe(1009);
    await until("it is no larger", () => privateMemory(pid) < 200 * 1024, 60_000);
    await served.client.call("session.kill", { session_id: id });
  });

  test("that go on after the end are no reason to be cut off before one hears of it", async () => {
    // Found beside others on a busy machine: who had typed forty megabytes answered later than who does not answer at all is cut off, and was not told why.
    const served = web();
    const id = await served.start(["sh", "-c", "stty raw -echo; echo ready; exec sleep 600"]);
    using client = await upgraded(served, `/api/v1/pty/sessions/${id}/attach`, "holt.v1.binary");
    await until("it is attached", () => client.frames().length > 0);
    for (let sent = 0; sent < 10; sent++) client.frame(2, MEGABYTE);
    await until("it is told", () => client.received.includes("ERLIMIT"));
    for (const from = performance.now(); performance.now() - from < 4500; await Bun.sleep(100))
      client.say({ type: "ping" });
    await client.hangsUp();
    const [opcode, payload] = client.frames().at(-1) ?? [];
    expect([opcode, payload?.readUInt16BE(0)]).toEqual([8, 1009]);
    await served.client.call("session.kill", { session_id: id });
  });

  test("of a key each, to a program that does not read, are counted once and not again with each that follows", async () => {
    // Each counted all before it: half a million kept the daemon from everybody for more than six minutes.
    const served = web();
    const keys = size(100_000, 500_000);
    await harmless(served, async () => {
      const id = await served.start(["sh", "-c", "stty raw -echo; echo ready; exec sleep 600"]);
      const path = `/api/v1/pty/sessions/${id}/attach`;
      using client = await upgraded(served, path, "holt.v1.binary");
      await until("it is attached", () => client.frames().length > 0);
      const key = frameOf(2, Uint8Array.of(ATTACH_FRAME.input, 0x78));
      for (let sent = 0; sent < keys; sent += 1000)
        client.write(Buffer.concat(Array.from({ length: 1000 }, () => key)));
      client.say({ type: "ping" });
      await until("all were heard", () => client.frames().some(([, payload]) => payload.includes("pong")), 60_000);
      await served.client.call("session.kill", { session_id: id });
      await client.hangsUp();
    });
  });

  test("that resize are carried out one after the other, the last of many at once alone", async () => {
    // Each was a call of its own: twenty thousand kept the daemon busy for half a minute, and the program was told of hundreds a second.
    const served = web();
    const resizes = size(5000, 20_000);
    await harmless(served, async () => {
      const id = await served.start(ECHO);
      const terminal = await served.attach(id);
      await terminal.hears("history");
      for (let at = 0; at < resizes; at++) terminal.resize(60 + (at % 50), 20);
      terminal.resize(133, 44);
      await until("it has the last", async () => {
        const { current_size } = await served.client.call("session.get", { session_id: id });
        return current_size?.cols === 133;
      });
      const { length } = served.bench.events(id).filter(({ type }) => type === "resize");
      expect(length).toBeLessThan(resizes / 10);
      await served.client.call("session.kill", { session_id: id });
    });
  });

  test("that show wrong keys are told of in the log, as requests with wrong keys are", async () => {
    const served = web();
    const id = await served.start(ECHO);
    const from = anotherAddress();
    const codes: unknown[] = [];
    for (let attempt = 0; attempt < 8; attempt++) {
      using client = await RawWeb.dial({ port: served.port, from });
      client.write(requestOf(`GET /api/v1/pty/sessions/${id}/attach`, { Host: served.host, ...UPGRADE }));
      expect((await client.answer()).status).toBe(101);
      client.say({ type: "attach", token: `wrong ${attempt}` });
      await client.hangsUp();
      const [told] = client.frames();
      codes.push((JSON.parse(told?.[1].toString() ?? "{}") as { code?: string }).code);
    }
    expect(codes[0]).toBe("EUNAUTHORIZED");
    const logged = served.log().filter((line) => line["message"] === "http refused" && line["from"] === from);
    expect(logged.length).toBeGreaterThanOrEqual(5);
    expect(JSON.stringify(logged)).not.toContain("wrong ");
    await served.client.call("session.kill", { session_id: id });
  });

  test("of no key: who waits to show one has 64 places, and those with one go by", async () => {
    const served = web();
    await harmless(served, async (id) => {
      const path = `/api/v1/pty/sessions/${id}/attach`;
      const waiting: RawWeb[] = [];
      const statuses: number[] = [];
      for (let number = 0; number < 80; number++) {
        const client = await RawWeb.dial({ port: served.port, from: anotherAddress() });
        client.write(requestOf(`GET ${path}`, { Host: served.host, ...UPGRADE }));
        statuses.push((await client.answer()).status);
        waiting.push(client);
      }
      expect(statuses.filter((code) => code === 101).length).toBe(64);
      expect(statuses.filter((code) => code === 503).length).toBe(16);
      const terminal = await served.attach(id);
      await terminal.hears("history");
      terminal.close();
      // One of them shows a key, and gives its place to another.
      waiting[0]?.say({ type: "attach", token: served.ownerToken });
      await until("it is attached", () => (waiting[0]?.frames().length ?? 0) > 0);
      using another = await RawWeb.dial({ port: served.port });
      another.write(requestOf(`GET ${path}`, { Host: served.host, ...UPGRADE }));
      expect((await another.answer()).status).toBe(101);
      for (const client of waiting) client[Symbol.dispose]();
    });
  });
});
