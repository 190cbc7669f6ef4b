/** Whatever is said to the port, however slowly, by however many: it is refused or served, and everybody else is answered all the while. */
import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import * as fc from "fast-check";
import { ATTACH_FRAME } from "../../src/protocol/attach.ts";
import { anotherAddress, connectionsOf, frameOf, RawWeb, requestOf, UPGRADE } from "../web/raw-web.ts";
import { ECHO, type Served, sharedWeb } from "../web/served.ts";
import { privateMemory } from "./processes.ts";
import { inParallel, size, until } from "./size.ts";

const web = sharedWeb("http.rate = 1000000");
const RUNS = size(150, 5000);

const descriptors = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

/** While it goes on, others are answered, on the daemon's own socket and over HTTP, and a session is typed into; after it, all is as it was. */
async function harmless(served: Served, work: (id: string) => Promise<void>): Promise<void> {
  const pid = served.bench.daemonPid ?? 0;
  const id = await served.start(ECHO, { max_clients: 64 });
  const witness = await served.attach(id);
  await witness.hears("history");
  await served.call("health.info", {}); // whatever is loaded with the first
  const before = { descriptors: descriptors(pid), memory: privateMemory(pid) };
  const over = new AbortController();
  let answered = 0;
  const asking = (async () => {
    while (!over.signal.aborted) {
      expect((await served.client.call("health.info", {})).pid).toBe(pid);
      expect((await served.call("health.info", {})).status).toBe(200);
      witness.type(`${++answered}\r`);
      await witness.sees(`got ${answered}\r\n`);
      await Bun.sleep(5);
    }
  })();
  try {
    await work(id);
  } finally {
    over.abort();
    await asking;
  }
  expect(answered).toBeGreaterThan(0);
  expect(served.bench.daemonPid).toBe(pid);
  await until("its descriptors are as many as before", () => descriptors(pid) <= before.descriptors + 4, 60_000);
  await until("it is no larger", () => privateMemory(pid) < before.memory + 128 * 1024, 60_000);
  await served.client.call("session.kill", { session_id: id });
}

const head = (served: Served, first: string, more: Record<string, string> = {}): Record<string, string> => ({
  Host: served.host,
  Authorization: `Bearer ${served.ownerToken}`,
  "Content-Type": "application/json",
  ...more,
  ...(first === "" ? UPGRADE : {}),
});

async function status(served: Served, bytes: (string | Uint8Array)[]): Promise<number> {
  using client = await RawWeb.dial({ port: served.port, from: anotherAddress() });
  for (const part of bytes) client.write(part);
  return (await client.answer()).status;
}

function posted(served: Served, path: string, body: Uint8Array | string): (string | Uint8Array)[] {
  const bytes = Buffer.from(body);
  const lines = Object.entries(head(served, "x", { "Content-Length": String(bytes.length) }));
  return [`POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`, bytes];
}

describe("Bodies", () => {
  test("of any bytes and any JSON are answered with why they are none, and never with a fault of ours", async () => {
    const served = web();
    const paths = [
      "/api/v1/session/get",
      "/api/v1/session/start",
      "/api/v1/web/session",
      "/api/v1/pty/sessions",
      "/mcp",
      "/api/v1/sessions/x/input",
    ];
    const body = fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
      fc.json().map((text) => Buffer.from(text)),
      fc.jsonValue().map((value) => Buffer.from(JSON.stringify({ session_id: value, argv: value, ticket: value }))),
    );
    await harmless(served, async (id) => {
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...paths), body, async (path, bytes) => {
          const answer = await status(served, posted(served, path, bytes));
          expect([400, 401, 403, 404, 409, 413, 415, 429, 200, 201, 202]).toContain(answer);
        }),
        { numRuns: RUNS, endOnFailure: true },
      );
      // Some ask for a shell, `{}` at /api/v1/pty/sessions, and get one.
      const { sessions } = await served.client.call("session.list", { states: ["running"] });
      for (const { session_id } of sessions)
        if (session_id !== id) await served.client.call("session.kill", { session_id });
    });
  });

  test.each([
    // Found here: these took up to half a minute and five gigabytes, as each wrong entry was told of, and everybody waited.
    {
      name: "a million wrong entries",
      body: `{"argv":[${"1,".repeat(1_000_000)}1],"until":[${"1,".repeat(1_000_000)}1]}`,
      expected: [400],
    },
    { name: "a key of seven megabytes", body: JSON.stringify({ ["k".repeat(7_000_000)]: 1 }), expected: [400] },
    { name: "no UTF-8", body: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]), expected: [400] },
    { name: "no JSON", body: "{", expected: [400] },
    { name: "no object", body: "[1]", expected: [400] },
    {
      name: "100,000 levels deep",
      body: `{"session_id":${"[".repeat(100_000)}${"]".repeat(100_000)}}`,
      expected: [400],
    },
    {
      name: "objects 20,000 levels deep",
      body: `{"env":${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}}`,
      expected: [400],
    },
    { name: "with __proto__", body: '{"__proto__":{"session_id":"x"},"constructor":1}', expected: [400] },
    {
      name: "100,000 keys",
      body: JSON.stringify(Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`k${at}`, at]))),
      expected: [400],
    },
    { name: "9 MiB", body: Buffer.alloc(9 * 1024 * 1024, "x"), expected: [413] },
    { name: "40 MiB", body: Buffer.alloc(40 * 1024 * 1024, "x"), expected: [413, 0] },
  ])("that are $name are refused, and the others do not wait for it", async ({ body, expected }) => {
    const served = web();
    await harmless(served, async () => {
      for (const path of ["/api/v1/session/get", "/api/v1/session/start", "/api/v1/session/wait"]) {
        const answer = await status(served, posted(served, path, body));
        expect({ path, answer: expected.some((each) => each === answer) ? "expected" : answer }).toEqual({
          path,
          answer: "expected",
        });
      }
      for (const path of ["/api/v1/web/session", "/mcp"])
        expect([400, 401, 413, 0]).toContain(await status(served, posted(served, path, body)));
    });
  });
});

describe("Requests", () => {
  test("of any bytes are refused or not answered", async () => {
    const served = web();
    await harmless(served, async () => {
      await fc.assert(
        fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 200 }), fc.boolean(), async (bytes, ends) => {
          using client = await RawWeb.dial({ port: served.port, from: anotherAddress() });
          client.write(bytes);
          if (ends) client.write(" HTTP/1.1\r\n\r\n\r\n\r\n");
        }),
        { numRuns: RUNS },
      );
    });
  });

  test.each([
    { name: "a thousand headers", more: Array.from({ length: 1000 }, (_, at) => `X-${at}: ${at}\r\n`).join("") },
    { name: "a header of a megabyte", more: `X: ${"x".repeat(1024 * 1024)}\r\n` },
    { name: "two hosts", more: "Host: evil.example\r\n" },
    { name: "two lengths", more: "Content-Length: 1\r\nContent-Length: 2\r\n" },
    { name: "a length and chunks", more: "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n" },
    { name: "a length below zero", more: "Content-Length: -1\r\n" },
    { name: "a header without a name", more: ": x\r\n" },
    { name: "a null byte", more: "X: a\0b\r\n" },
    { name: "a header over two lines", more: "X: a\r\n b\r\n" },
  ])("with $name are refused, and nothing of them is carried out", async ({ more }) => {
    const served = web();
    await harmless(served, async () => {
      const lines = Object.entries(head(served, "x"))
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join("");
      const answer = await status(served, [`POST /api/v1/session/list HTTP/1.1\r\n${lines}${more}\r\n`]);
      expect([
        0,
        400,
        403,
        413,
        417,
        431,
        ...(more.startsWith("X-") ? [200, 415] : []),
        ...(more.startsWith("X: a") ? [200, 415] : []),
      ]).toContain(answer);
    });
  });

  test("with a path of any kind are answered", async () => {
    const served = web();
    const part = fc.oneof(
      fc.constantFrom(
        "..",
        "%2e%2e",
        "%00",
        "%ff",
        "%",
        "~",
        ";x",
        "pty",
        "sessions",
        "api",
        "v1",
        "__proto__",
        "constructor",
      ),
      fc.webSegment(),
    );
    await harmless(served, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(part, { maxLength: 6 }), async (parts) => {
          const first = `GET /${parts.join("/")}`;
          const answer = await status(served, [requestOf(first, head(served, "x"))]);
          expect([200, 400, 403, 404, 405, 426]).toContain(answer);
        }),
        { numRuns: RUNS, endOnFailure: true },
      );
    });
  });
});

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

describe("Without a key", () => {
  test("bodies are not read: sixty of megabytes at once leave the daemon as small as it was", async () => {
    // A ticket's were gathered whole, of everybody: sixty connections made the daemon half a gigabyte larger.
    const served = web();
    await harmless(served, async () => {
      const before = privateMemory(served.bench.daemonPid ?? 0);
      const chunk = `10000\r\n${"x".repeat(65_536)}\r\n`;
      const clients: RawWeb[] = [];
      let most = 0;
      for (let number = 0; number < 60; number++) {
        const client = await RawWeb.dial({ port: served.port, from: anotherAddress() });
        clients.push(client);
        client.write(
          `POST /api/v1/web/session HTTP/1.1\r\nHost: ${served.host}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
        );
        for (let part = 0; part < 100; part++) client.write(chunk);
        most = Math.max(most, privateMemory(served.bench.daemonPid ?? 0));
      }
      for (const client of clients) expect([413, 0]).toContain((await client.answer()).status);
      most = Math.max(most, privateMemory(served.bench.daemonPid ?? 0));
      for (const client of clients) client[Symbol.dispose]();
      expect(most - before).toBeLessThan(160 * 1024);
    });
  });
});

describe("Slowly", () => {
  test("sent headers and bodies are given up, and so is who shows no key", async () => {
    const served = web();
    await harmless(served, async (id) => {
      const slow: RawWeb[] = [];
      const begin = async (text: string): Promise<void> => {
        for (let number = 0; number < 20; number++) {
          const client = await RawWeb.dial({ port: served.port, from: anotherAddress() });
          client.write(text);
          slow.push(client);
        }
      };
      const path = `/api/v1/pty/sessions/${id}/attach`;
      const keyless = await RawWeb.dial({ port: served.port, from: anotherAddress() });
      keyless.write(requestOf(`GET ${path}`, { Host: served.host, ...UPGRADE }));
      expect((await keyless.answer()).status).toBe(101);
      await begin("");
      await begin(`GET / HTTP/1.1\r\nHost: ${served.host}\r\nX-`);
      await begin(
        `POST /api/v1/web/session HTTP/1.1\r\nHost: ${served.host}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
      );
      await begin(`POST /api/v1/session/get HTTP/1.1\r\nHost: ${served.host}\r\nContent-Length: 100\r\n\r\n{`);
      await until(
        "they are given up",
        () => {
          for (const client of slow) client.write("a"); // a byte now and then
          keyless.frames(); // who listens answers when asked whether it does
          return slow.every((client) => client.isClosed);
        },
        90_000,
      );
      // Who shows no key within ten seconds is told so.
      await keyless.hangsUp();
      expect(
        keyless
          .frames()
          .find(([opcode]) => opcode === 8)?.[1]
          .readUInt16BE(0),
      ).toBe(4401);
    });
  }, 120_000);
});

describe("Many", () => {
  const MANY = 1000;

  test(`${MANY} connections at once are served or refused`, async () => {
    const served = web();
    await harmless(served, async () => {
      const clients: RawWeb[] = [];
      await inParallel(MANY, 50, async () => void clients.push(await RawWeb.dial({ port: served.port })));
      for (const [at, client] of clients.entries()) {
        const first = at % 2 === 0 ? "GET /healthz" : "GET /api/v1/openapi.json";
        client.write(requestOf(first, { Host: at % 3 === 0 ? "evil.example" : served.host }));
      }
      const statuses = await Promise.all(clients.map(async (client) => (await client.answer()).status));
      for (const [at, code] of statuses.entries()) expect(code).toBe(at % 3 === 0 ? 403 : at % 2 === 0 ? 200 : 401);
      for (const client of clients) client[Symbol.dispose]();
    });
  });

  test(`${MANY} WebSockets at once are served, and closed`, async () => {
    const served = web();
    await harmless(served, async () => {
      const clients: RawWeb[] = [];
      await inParallel(MANY, 50, async () => {
        const client = await RawWeb.dial({ port: served.port });
        client.write(requestOf("GET /api/v1/rpc", head(served, "")));
        expect((await client.answer()).status).toBe(101);
        client.say({ jsonrpc: "2.0", id: 1, method: "health.info", params: {} });
        clients.push(client);
      });
      await until("all are answered", () => clients.every((client) => client.frames().length > 0));
      for (const client of clients) client[Symbol.dispose]();
      await until("all are gone", () => connectionsOf(served.bench.daemonPid ?? 0).size < 20);
    });
  });
});
