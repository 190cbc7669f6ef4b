/** Waiting for output: at once, when it comes, at the end, and with a timeout. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { LocalSessions } from "../../src/client/sessions/local-sessions.ts";
import { type OutputWaitResult, waitForOutput } from "../../src/client/wait/wait-until.ts";
import { failure } from "./failure.ts";
import { endedSession, StateDir } from "./sessions.ts";
import { SmallHolder } from "./small-holder.ts";

let state: StateDir;
beforeEach(() => {
  state = new StateDir();
});
afterEach(() => state[Symbol.dispose]());

interface Options {
  cursor?: number;
  maxBytes?: number;
  timeoutMs?: number;
  signal?: AbortSignal;
}

function wait(id: string, options: Options = {}): Promise<OutputWaitResult> {
  const defaults = { cursor: 0, maxBytes: 65536, timeoutMs: 30_000, signal: new AbortController().signal };
  return waitForOutput({ sessions: new LocalSessions(state.layout), id, ...defaults, ...options });
}

function text({ chunks }: OutputWaitResult): string {
  return Buffer.concat(chunks.map(({ bytes }) => bytes)).toString();
}

describe("returns at once", () => {
  test("with the output past the cursor", async () => {
    using holder = new SmallHolder(state, "s");
    holder.append("hello");
    const waited = await wait("s", { cursor: 1 });
    expect(waited).toMatchObject({ outcome: "data", next_cursor: 5, eof: false, truncated: false });
    expect(text(waited)).toBe("ello");
    expect(holder.connections.size).toBe(0);
  });

  test("with no more than was asked for, and the rest the next time", async () => {
    endedSession(state, "s", { output: ["0123456789"] });
    const first = await wait("s", { maxBytes: 7 });
    expect(first).toMatchObject({ outcome: "data", next_cursor: 7, eof: false });
    const second = await wait("s", { cursor: 7, maxBytes: 7 });
    expect(text(first) + text(second)).toBe("0123456789");
    expect(second).toMatchObject({ outcome: "data", next_cursor: 10, eof: true });
  });

  test("when the session has ended and there is nothing more", async () => {
    endedSession(state, "s", { output: ["abc"] });
    expect(await wait("s", { cursor: 3 })).toMatchObject({ outcome: "exited", chunks: [], next_cursor: 3, eof: true });
    expect(await wait("s", { cursor: 77 })).toMatchObject({ outcome: "exited", chunks: [], next_cursor: 3, eof: true });
  });

  test("when there is no such session", async () => {
    for (const id of ["nobody", "..", "../x"]) {
      expect(await failure(wait(id))).toHaveProperty("message", `session not found: ${id}`);
    }
  });
});

describe("at the end of a running session, returns", () => {
  test("when bytes come", async () => {
    using holder = new SmallHolder(state, "s");
    holder.append("old");
    const waiting = wait("s", { cursor: 3 });
    await holder.hasFollowers(1);
    holder.append("new", { channel: "stderr" });
    const waited = await waiting;
    expect(waited).toMatchObject({ outcome: "data", next_cursor: 6, eof: false });
    expect(waited.chunks).toMatchObject([{ channel: "stderr", offset: 3, bytes: Buffer.from("new") }]);
    expect(Date.parse(waited.chunks[0]?.timestamp ?? "")).toBeGreaterThan(Date.now() - 60_000);
    await holder.hasConnections(0);
  });

  test("with the bytes themselves although their index record is still to come", async () => {
    using holder = new SmallHolder(state, "s");
    const waiting = wait("s");
    await holder.hasFollowers(1);
    holder.append("a");
    expect(text(await waiting)).toBe("a");
    const again = wait("s", { cursor: 1 });
    await holder.hasFollowers(1);
    holder.append("b", { index: "later" });
    expect(text(await again)).toBe("b");
  });

  test("with no more of a big burst than was asked for", async () => {
    using holder = new SmallHolder(state, "s");
    const waiting = wait("s", { maxBytes: 10 });
    await holder.hasFollowers(1);
    holder.append("x".repeat(100_000));
    expect(await waiting).toMatchObject({ outcome: "data", next_cursor: 10, eof: false });
  });

  test("when the session ends", async () => {
    using holder = new SmallHolder(state, "s");
    const waiting = wait("s");
    await holder.hasFollowers(1);
    holder.end();
    expect(await waiting).toMatchObject({ outcome: "exited", chunks: [], next_cursor: 0, eof: true });
  });

  test("when its holder is killed", async () => {
    using holder = new SmallHolder(state, "s");
    const waiting = wait("s");
    await holder.hasFollowers(1);
    holder.vanish();
    expect(await waiting).toMatchObject({ outcome: "exited", eof: true });
  });

  test("when the time is up, not before, and closes its connection", async () => {
    using holder = new SmallHolder(state, "s");
    holder.append("abc");
    const began = performance.now();
    const waited = await wait("s", { cursor: 3, timeoutMs: 300 });
    expect(waited).toMatchObject({ outcome: "timeout", chunks: [], next_cursor: 3, eof: false });
    expect(performance.now() - began).toBeGreaterThanOrEqual(299);
    await holder.hasConnections(0);
  });

  test("at once for a timeout of 0", async () => {
    using _holder = new SmallHolder(state, "s");
    expect(await wait("s", { timeoutMs: 0 })).toMatchObject({ outcome: "timeout", next_cursor: 0 });
  });

  test("not for a gap, but says that there was one when bytes follow it", async () => {
    using holder = new SmallHolder(state, "s", "normal", { maxBytes: 3 });
    holder.append("abc");
    const waiting = wait("s", { cursor: 3 });
    await holder.hasFollowers(1);
    holder.gap(3, 10);
    holder.append("only live");
    expect(await waiting).toMatchObject({ outcome: "data", truncated: true });
  });
});

test("a cancelled wait ends at once with ECANCELED, and its connection with it", async () => {
  using holder = new SmallHolder(state, "s");
  const abort = new AbortController();
  const waiting = wait("s", { signal: abort.signal });
  await holder.hasFollowers(1);
  abort.abort();
  expect(await failure(waiting)).toMatchObject({ code: "ECANCELED" });
  await holder.hasConnections(0);
});

test("a wait that was cancelled before it began does not begin", async () => {
  using holder = new SmallHolder(state, "s");
  expect(await failure(wait("s", { signal: AbortSignal.abort() }))).toMatchObject({ code: "ECANCELED" });
  expect(holder.connections.size).toBe(0);
});

test("every one of many waits is woken by the same byte", async () => {
  using holder = new SmallHolder(state, "s");
  const waiting = Array.from({ length: 32 }, () => wait("s"));
  await holder.hasFollowers(32);
  holder.append("!");
  for (const waited of await Promise.all(waiting)) expect(text(waited)).toBe("!");
  await holder.hasConnections(0);
});
