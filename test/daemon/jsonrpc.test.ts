import { describe, expect, test } from "bun:test";
import { failure } from "../client/failure.ts";
import { withDaemon } from "./household.ts";
import { RawCaller, request } from "./raw-caller.ts";

describe("JSON-RPC on the daemon's socket", () => {
  test("follows the specification: calls, notifications, batches, and what is none of them", async () => {
    await withDaemon(async (_client, bench) => {
      using caller = await RawCaller.dial(bench);
      const answer = async (line: string): Promise<unknown> => {
        await caller.write(`${line}\n`);
        return caller.next();
      };
      expect(await answer(`{"jsonrpc":"2.0","id":"a","method":"health.info"}`)).toMatchObject({
        jsonrpc: "2.0",
        id: "a",
      });
      expect(await answer("{")).toMatchObject({ id: null, error: { code: -32700 } });
      expect(await answer("[]")).toMatchObject({ id: null, error: { code: -32600 } });
      expect(await answer(`{"jsonrpc":"1.0","id":1,"method":"x"}`)).toMatchObject({ id: 1, error: { code: -32600 } });
      expect(await answer(`{"jsonrpc":"2.0","id":{},"method":"x"}`)).toMatchObject({
        id: null,
        error: { code: -32600 },
      });
      expect(await answer(request(1, "nosuch.method").trim())).toMatchObject({ id: 1, error: { code: -32601 } });
      expect(await answer(request(2, "session.get", { id: 3 }).trim())).toMatchObject({
        id: 2,
        error: { code: -32602, data: { code: "EBADARGS" } },
      });
      expect(await answer(request(3, "session.get", { session_id: "x" }).trim())).toMatchObject({
        error: { code: -32006, message: "session not found: x", data: { code: "ENOTFOUND" } },
      });
      // A notification is not answered, so the next answer is the next call's.
      await caller.write(`{"jsonrpc":"2.0","method":"health.info"}\n\n`);
      const batch = [{ jsonrpc: "2.0", method: "health.info" }, 1, { jsonrpc: "2.0", id: 5, method: "health.info" }];
      expect(await answer(JSON.stringify(batch))).toMatchObject([{ id: null, error: { code: -32600 } }, { id: 5 }]);
    });
  });

  test("a question without a newline, from someone who then closes their side, is answered", async () => {
    await withDaemon(async (_client, bench) => {
      using caller = await RawCaller.dial(bench);
      await caller.write(request(1, "health.info").trim());
      caller.shutdown();
      expect(await caller.next()).toMatchObject({ id: 1 });
      expect(await caller.next()).toBeNull();
    });
  });

  // Six waits end at the same moment. The first answer used to end the connection, as no call was under way any more.
  test("who asks several things and closes their side gets every answer", async () => {
    await withDaemon(async (client, bench) => {
      const { session_id } = await client.call("session.start", { argv: ["sleep", "60"] });
      using caller = await RawCaller.dial(bench);
      const waits = Array.from({ length: 6 }, (_, i) => request(i, "session.wait", { session_id }));
      const batch = waits.map((line) => line.trim().replace(/"id":(\d)/, '"id":1$1'));
      await caller.write(`${waits.join("")}[${batch.join(",")}]\n${request(99, "health.info")}`);
      caller.shutdown();
      expect(await caller.next()).toMatchObject({ id: 99 }); // by then all of them wait
      await client.call("session.kill", { session_id });
      const ids: unknown[] = [];
      for (let answer = await caller.next(); answer !== null; answer = await caller.next())
        ids.push(...[answer].flat().map((each) => (each as { id: unknown }).id));
      expect(ids.toSorted((a, b) => Number(a) - Number(b))).toEqual([0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15]);
    });
  });

  // A timer of more than 2^31 - 1 ms fires at once: such a session used to be stopped as it began.
  test("times that no timer takes are refused by name", async () => {
    await withDaemon(async (client) => {
      const argv = ["true"];
      const long = 366 * 24 * 3600 * 1000;
      for (const params of [
        { argv, timeout_ms: long },
        { argv, idle_timeout_ms: long },
        { argv, restart: { when: "always" as const, delay_ms: long } },
      ])
        expect(await failure(client.call("session.start", params))).toMatchObject({
          code: "EBADARGS",
          message: expect.stringMatching(/_ms.* from [01] to (?:31536000000|2073600000)/),
        });
    });
  });

  test("a call can be canceled, and others on the connection go on", async () => {
    await withDaemon(async (client, bench) => {
      const { session_id } = await client.call("session.start", { argv: ["sleep", "60"] });
      using caller = await RawCaller.dial(bench);
      await caller.write(request(1, "session.wait", { session_id }) + request(2, "health.info"));
      expect(await caller.next()).toMatchObject({ id: 2 });
      await caller.write(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}\n`);
      expect(await caller.next()).toMatchObject({ id: 1, error: { code: -32800 } });
      await client.call("session.kill", { session_id });
    });
  });

  test("a line over 8 MiB is refused, and the next one is answered", async () => {
    await withDaemon(async (_client, bench) => {
      using caller = await RawCaller.dial(bench);
      await caller.write(`${"x".repeat(9 * 1024 * 1024)}\n${request(1, "health.info")}`);
      expect(await caller.next()).toMatchObject({ id: null, error: { code: -32700 } });
      expect(await caller.next()).toMatchObject({ id: 1 });
    });
  });

  test("who asks without reading is not read either, and harms nobody", async () => {
    await withDaemon(async (client, bench) => {
      using caller = await RawCaller.dial(bench);
      const waits = Array.from({ length: 500 }, (_, i) => request(i, "health.info")).join("");
      await caller.write(waits);
      const ids = new Set<unknown>();
      for (let i = 0; i < 500; i++) ids.add(((await caller.next()) as { id: unknown }).id);
      expect(ids.size).toBe(500);
      expect((await client.call("health.info", {})).clients).toBe(2);
    });
  });
});
