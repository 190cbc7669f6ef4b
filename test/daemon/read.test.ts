/** session.read over the socket: views, bounds, errors, and that nobody else has to wait. */
import { describe, expect, test } from "bun:test";
import type { DaemonClient } from "../../src/client/daemon/daemon-client.ts";
import type { Params } from "../../src/protocol/methods/table.schema.ts";
import { failure } from "../client/failure.ts";
import type { Bench } from "../support/holt.ts";
import { withDaemon } from "./household.ts";

async function printed(client: DaemonClient, script: string): Promise<string> {
  const { session_id } = await client.call("session.start", { argv: ["sh", "-c", script] });
  await client.call("session.wait", { session_id });
  return session_id;
}

describe("session.read", () => {
  /** `max_bytes: 192` was answered with up to 218 bytes: a page always had room for a line and a note, whatever the bound. */
  test("keeps to max_bytes, and refuses less than a line and a note take, with the least", async () => {
    await withDaemon(async (client) => {
      const session_id = await printed(client, "seq -f '%0150g' 40; seq 400; echo $(seq 2000)");
      for (const more of [{}, { tail: 300 }, { grep: "1" }, { cut: "middle" }, { head: 5, tail: 5 }] as const)
        for (let max_bytes = 300; max_bytes < 700; max_bytes += 17) {
          const { text = "" } = await client.call("session.read", { session_id, view: "text", max_bytes, ...more });
          expect([more, max_bytes, Buffer.byteLength(text) <= max_bytes]).toEqual([more, max_bytes, true]);
        }
      expect(await failure(client.call("session.read", { session_id, view: "text", max_bytes: 299 }))).toMatchObject({
        code: "EBADARGS",
        hint: expect.stringContaining("at least 300"),
      });
    });
  });

  test("has the last lines, those that match with what is around them, and the screen", async () => {
    await withDaemon(async (client) => {
      const session_id = await printed(client, "seq -f 'line %g' 200");
      const read = (params: Omit<Params<"session.read">, "session_id">) =>
        client.call("session.read", { session_id, ...params });
      const tail = await read({ view: "text", tail: 2 });
      expect(tail).toEqual({
        text: "line 199\nline 200",
        next_cursor: "1892",
        eof: true,
        truncated: false,
        omitted: null,
        estimated_tokens: 6,
        lines: 2,
        matched: null,
        unjudged: null,
      });
      const grep = await read({ view: "text", grep: "line 1[0-9]0$", after: 1, max_matches: 2, cursor: "1000" });
      expect(grep.text).toBe(
        "1082: line 120\n1092- line 121\n1182: line 130\n1192- line 131\n… 690 bytes, cursor 1202 …",
      );
      expect(grep.matched).toEqual(["1082", "1182"]);
      const rest = await read({ view: "text", grep: "line 1[0-9]0$", cursor: grep.next_cursor });
      expect(rest.matched?.length).toBe(6);
      expect((await read({ view: "text", cursor: "0", head: 1, cursors: true })).text).toBe("0: line 1");
      expect((await read({ view: "text", head_bytes: 16, collapse: false })).text).toBe("line 1\nline 2");
      expect((await read({ view: "text", tail_bytes: 20 })).text).toBe("line 199\nline 200");
      expect((await read({ view: "screen" })).text).toEndWith("line 199\nline 200");
      const raw = await read({ tail_bytes: 10 });
      expect(raw.chunks?.map(({ data }) => Buffer.from(data, "base64").toString())).toEqual(["line 200\r\n"]);
      expect(Object.keys(raw).toSorted()).toEqual(["chunks", "eof", "next_cursor", "truncated"]);
    });
  });

  test("goes on with a line that was not finished, and tells it whole", async () => {
    await withDaemon(async (client) => {
      const argv = ["sh", "-c", "printf 'Name: '; read name; echo hello $name"];
      const { session_id } = await client.call("session.start", { argv });
      await client.call("session.wait", { session_id, until: { match: "Name: " }, cursor: "0" });
      await client.call("session.wait", { session_id, until: { idle_ms: 50 } });
      const first = await client.call("session.read", { session_id, view: "text" });
      expect(first).toMatchObject({ text: "Name: ", next_cursor: "6", eof: false });
      await client.call("session.send", { session_id, text: "Ada\n" });
      await client.call("session.wait", { session_id });
      const second = await client.call("session.read", { session_id, view: "text", cursor: first.next_cursor });
      expect(second).toMatchObject({ text: "Name: Ada\nhello Ada", eof: true });
    });
  });

  test("says that something is missing where something was left out", async () => {
    await withDaemon(async (client) => {
      const session_id = await printed(client, "seq 5000");
      const cut = await client.call("session.read", { session_id, view: "text", max_tokens: 200 });
      expect(cut).toMatchObject({ truncated: true, eof: false, omitted: { cursor: cut.next_cursor } });
      const tail = await client.call("session.read", { session_id, view: "text", tail: 3 });
      expect(tail).toMatchObject({ truncated: false, omitted: null, text: "4998\n4999\n5000" });
    });
  });

  test("refuses what makes no sense", async () => {
    await withDaemon(async (client) => {
      const session_id = await printed(client, "true");
      const read = (params: Omit<Params<"session.read">, "session_id">) =>
        failure(client.call("session.read", { session_id, ...params }));
      expect(await read({ tail: 3 })).toMatchObject({ code: "EBADARGS", hint: 'add "view": "text"' });
      expect(await read({ view: "text", grep: "(" })).toMatchObject({
        code: "EBADARGS",
        message: 'invalid pattern "("',
      });
      expect(await read({ view: "text", grep: "x", tail: 1 })).toMatchObject({ code: "EBADARGS" });
      expect(await read({ view: "text", cursor: "9", until: "3" })).toMatchObject({ code: "EBADARGS" });
      expect(await read({ view: "text", max_tokens: 99 })).toMatchObject({ code: "EBADARGS" });
      expect(await failure(client.call("session.read", { session_id: "nope", view: "text" }))).toMatchObject({
        code: "ENOTFOUND",
        message: "session not found: nope",
      });
      const piped = await client.call("session.start", { argv: ["true"], pty: false });
      await client.call("session.wait", { session_id: piped.session_id });
      expect(
        await failure(client.call("session.read", { session_id: piped.session_id, view: "screen" })),
      ).toMatchObject({
        code: "EBADARGS",
      });
    });
  });

  test("answers others while a pattern that never ends is looked for, and gives it up with its call", async () => {
    await withDaemon(async (client, bench) => {
      const session_id = await printed(client, `head -c 40000 /dev/zero | tr '\\0' a`);
      const abandoned = client.call(
        "session.read",
        { session_id, view: "text", grep: "(a|aa)+[bc]$" },
        { answerMs: 500 },
      );
      for (let i = 0; i < 20; i++) await client.call("health.info", {});
      expect(await failure(abandoned)).toMatchObject({ code: "ETIMEOUT" });
      expect(searchers(bench)).toHaveLength(1);
      client[Symbol.dispose]();
      while (searchers(bench).length > 0) await Bun.sleep(5);
    });
  });
});

/** Processes that look for a pattern on behalf of the daemon. */
function searchers(bench: Bench): string[] {
  const { stdout } = Bun.spawnSync(["pgrep", "-P", String(bench.daemonPid), "-f", "__grep"]);
  return stdout.toString().split("\n").filter(Boolean);
}
