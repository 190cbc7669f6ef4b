/** Whatever is said to the port as a request: it is refused or served, and everybody else is answered all the while. */
import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { anotherAddress, RawWeb, requestOf } from "../web/raw-web.ts";
import { sharedWeb } from "../web/served.ts";
import { harmless, head, posted, status } from "./harmless.ts";
import { size } from "./size.ts";

const web = sharedWeb("http.rate = 1000000");
const RUNS = size(150, 5000);

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
