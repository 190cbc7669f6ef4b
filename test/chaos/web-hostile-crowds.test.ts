/** However slowly, by however many, and with no key at all: whoever comes is refused or served, and everybody else is answered all the while. */
import { describe, expect, test } from "bun:test";
import { anotherAddress, connectionsOf, RawWeb, requestOf, UPGRADE } from "../web/raw-web.ts";
import { sharedWeb } from "../web/served.ts";
import { harmless, head } from "./harmless.ts";
import { privateMemory } from "./processes.ts";
import { inParallel, until } from "./size.ts";

const web = sharedWeb("http.rate = 1000000");

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

test("Who shows no key has 16 places from one address; the others' are left alone", async () => {
  const served = web();
  const { session_id: id } = await served.client.call("session.start", { argv: ["cat"] });
  const crowd: RawWeb[] = [];
  const comes = async (from: string): Promise<number> => {
    const client = await RawWeb.dial({ port: served.port, from });
    crowd.push(client);
    client.write(requestOf(`GET /api/v1/pty/sessions/${id}/attach`, { Host: served.host, ...UPGRADE }));
    return (await client.answer()).status;
  };
  const from = anotherAddress();
  for (let number = 0; number < 16; number++) expect(await comes(from)).toBe(101);
  expect(await comes(from)).toBe(503);
  expect(await comes(anotherAddress())).toBe(101);
  for (const client of crowd) client[Symbol.dispose]();
  await served.client.call("session.kill", { session_id: id });
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
