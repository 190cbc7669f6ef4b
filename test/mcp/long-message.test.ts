/**
 * Found by a breaker: `fs_write_file` with 10 MB was never answered. A line that is longer than the server reads was left out, and the host waited
 * for its answer until it gave up, with nothing said.
 */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { StateDir } from "../client/sessions.ts";
import { LongLine } from "../../src/surfaces/mcp/long-line.ts";
import { RawServer } from "./raw-server.ts";

const LONG = "x".repeat(3_000_000);

describe("a call that is longer than a line may be", () => {
  let state: StateDir;
  beforeEach(() => {
    state = new StateDir();
  });
  afterEach(() => state[Symbol.dispose]());

  const call = { method: "tools/call", params: { name: "derun_get_session", arguments: { id: 7, session_id: LONG } } };

  test.each([
    ["first", { jsonrpc: "2.0", id: 41, ...call }],
    ["last", { ...call, jsonrpc: "2.0", id: 41 }],
  ])("is answered with what to do, with its id %s, and the next is answered as ever", async (_, message) => {
    await using server = new RawServer(state);
    await server.initialize();
    const line = JSON.stringify(message);
    await server.write(`${line}\n`);
    expect(await server.answer(41)).toEqual({
      jsonrpc: "2.0",
      id: 41,
      error: {
        code: -32600,
        message: `this call is too long: ${line.length + 1} bytes, at most 1048576: write the long value to a file and name that, or send it in parts`,
        data: { code: "EBADARGS", correlation_id: expect.any(String), details: {}, hint: expect.any(String) },
      },
    });
    expect((await server.call("list_sessions"))["isError"]).toBeUndefined();
  });
});

describe("of a long line it is known whose it is", () => {
  test.each<[string, unknown, string | number | null]>([
    ["a number", { id: 5, method: "m", params: { id: 6 } }, 5],
    [
      "a text that has quotes and braces",
      { method: "m", params: [{ id: 6 }, '"id":7'], id: '}"\\,"id":8' },
      '}"\\,"id":8',
    ],
    ["none", { method: "m", params: { id: 6, deep: [{ id: 7 }] } }, null],
    ["one that is no id", { id: { id: 4 }, method: "m" }, null],
    ["no object", [{ id: 6, method: "m" }, 3], null],
  ])("%s", (_, message, id) => {
    for (const text of [JSON.stringify(message), JSON.stringify(message, null, 1).replaceAll("\n", " ")])
      for (const size of [1, 7, 1000]) {
        const line = new LongLine();
        const bytes = new TextEncoder().encode(text);
        for (let at = 0; at < bytes.length; at += size) line.feed(bytes.subarray(at, at + size));
        expect(line.id).toBe(id);
        expect(line.length).toBe(bytes.length);
      }
  });
});
