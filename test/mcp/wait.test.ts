import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { failure } from "../client/failure.ts";
import { StateDir } from "../client/sessions.ts";
import { SmallHolder } from "../client/small-holder.ts";
import { bytesOf, Connection, ERAS, errorOf } from "./connect.ts";
import { socketsOf } from "../support/sockets.ts";

describe.each(ERAS)("derun_wait_output at the tail of what runs, %s era:", (era) => {
  let state: StateDir;
  let holder: SmallHolder;
  let mcp: Connection;

  beforeEach(async () => {
    state = new StateDir();
    holder = new SmallHolder(state, "run");
    holder.append("old ");
    mcp = await Connection.open(state, era);
  });
  afterEach(async () => {
    await mcp[Symbol.asyncDispose]();
    holder[Symbol.dispose]();
    state[Symbol.dispose]();
  });

  const wait = (args: Record<string, unknown> = {}, signal?: AbortSignal) =>
    mcp.ask("wait_output", { session_id: "run", cursor: "4", ...args }, signal);

  test("returns when bytes come, with them", async () => {
    const waiting = wait();
    await holder.hasFollowers(1);
    holder.append("new", { channel: "stderr" });
    const answer = await waiting;
    expect(answer).toMatchObject({ outcome: "data", timed_out: false, next_cursor: "7", eof: false });
    expect(answer.chunks).toMatchObject([{ channel: "stderr", offset: "4", length: 3 }]);
    expect(bytesOf(answer).toString()).toBe("new");
  });

  test("returns when the session ends", async () => {
    const waiting = wait();
    await holder.hasFollowers(1);
    holder.end();
    expect(await waiting).toMatchObject({
      outcome: "exited",
      timed_out: false,
      next_cursor: "4",
      eof: true,
      chunks: [],
    });
  });

  test("returns when the holder is killed", async () => {
    const waiting = wait();
    await holder.hasFollowers(1);
    holder.vanish();
    expect(await waiting).toMatchObject({ outcome: "exited", eof: true });
  });

  test("returns when the time is up, not before", async () => {
    const answer = await wait({ timeout_ms: 400 });
    expect(answer).toMatchObject({ outcome: "timeout", timed_out: true, next_cursor: "4", eof: false, chunks: [] });
    expect(answer.waited_ms).toBeGreaterThanOrEqual(399);
    await holder.hasConnections(0);
  });

  test("is really over when it is cancelled: the holder's connection and the server's socket are gone", async () => {
    await wait({ timeout_ms: 1 });
    await holder.hasConnections(0);
    await mcp.client.ping().catch(() => null); // the server has closed its end, too
    const before = socketsOf(mcp.pid);
    const abort = new AbortController();
    const waiting = wait({}, abort.signal);
    await holder.hasFollowers(1);
    expect(socketsOf(mcp.pid)).toBe(before + 1);
    abort.abort();
    await failure(waiting);
    await holder.hasConnections(0);
    await mcp.client.ping().catch(() => null); // the server is back in its loop
    expect(socketsOf(mcp.pid)).toBe(before);
    const next = wait({ timeout_ms: 1 });
    expect((await next).outcome).toBe("timeout");
  });

  test("is over when the client goes", async () => {
    const waiting = wait();
    await holder.hasFollowers(1);
    const closing = mcp.client.close();
    await failure(waiting);
    await closing;
    await holder.hasConnections(0);
  });

  test("wakes eight at once, and other calls are answered meanwhile", async () => {
    const waiting = Array.from({ length: 8 }, () => wait());
    await holder.hasFollowers(8);
    expect((await mcp.ask("list_sessions")).total_count).toBe(1);
    holder.append("all");
    for (const answer of await Promise.all(waiting)) expect(bytesOf(answer).toString()).toBe("all");
    await holder.hasConnections(0);
  });

  test("is refused past 128 at once, and possible again as soon as they are over", async () => {
    const waiting = Array.from({ length: 128 }, () => wait());
    await holder.hasFollowers(128);
    const refused = await mcp.call("wait_output", { session_id: "run", cursor: "4" });
    expect(refused.isError).toBe(true);
    expect(errorOf(refused).message).toBe("too many waits: 128; let one return first");
    holder.append("!");
    await Promise.all(waiting);
    expect((await wait({ cursor: "5", timeout_ms: 1 })).outcome).toBe("timeout");
  });

  test("followed from next_cursor to next_cursor brings each byte once", async () => {
    let { next_cursor: cursor } = await wait({ cursor: "0" });
    let text = "";
    for (let number = 1; number <= 20; number++) {
      expect(await wait({ cursor, timeout_ms: 5 })).toMatchObject({ outcome: "timeout", next_cursor: cursor });
      const waiting = wait({ cursor });
      await holder.hasFollowers(1);
      holder.append(`${number} `);
      const answer = await waiting;
      text += bytesOf(answer).toString();
      cursor = answer.next_cursor;
    }
    expect(text).toBe(Array.from({ length: 20 }, (_, index) => `${index + 1} `).join(""));
  });
});
