/** Following a session: every byte once, from disk and from the holder, to the end. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { type FollowItem, follow } from "../../src/client/read/follow.ts";
import { failure } from "./failure.ts";
import { endedSession, StateDir } from "./sessions.ts";
import { SmallHolder } from "./small-holder.ts";

let state: StateDir;
beforeEach(() => {
  state = new StateDir();
});
afterEach(() => state[Symbol.dispose]());

function start(id: string, cursor = 0, signal: AbortSignal = new AbortController().signal) {
  return follow({ id, cursor, signal, layout: state.layout });
}

async function all(items: AsyncIterable<FollowItem>): Promise<FollowItem[]> {
  return await Array.fromAsync(items);
}

function textOf(items: readonly FollowItem[]): string {
  return Buffer.concat(items.map((item) => (item.type === "data" ? item.bytes : new Uint8Array(0)))).toString("latin1");
}

/** The number of items until `end`. */
async function bytesUntil(end: number, items: AsyncIterable<FollowItem>): Promise<number> {
  let bytes = 0;
  for await (const item of items) {
    if (item.type !== "data") continue;
    bytes += item.bytes.length;
    if (item.cursor + item.bytes.length === end) break;
  }
  return bytes;
}

/** The cursors join up: no byte twice, and none left out without a gap. */
function expectContinuous(items: readonly FollowItem[], from: number): void {
  let cursor = from;
  for (const item of items) {
    if (item.type === "data") {
      expect(item.cursor).toBe(cursor);
      cursor += item.bytes.length;
    } else if (item.type === "gap") {
      expect(item.from).toBe(cursor);
      cursor = item.to;
    } else expect(item.cursor).toBe(cursor);
  }
}

describe("an ended session", () => {
  test("is read from disk from the cursor on, followed by the end", async () => {
    endedSession(state, "done", { output: ["one ", "two ", "three"], final: { exit_code: 3 } });
    const items = await all(start("done", 4));
    expect(textOf(items)).toBe("two three");
    expectContinuous(items, 4);
    expect(items.at(-1)).toEqual({ type: "end", cursor: 13, state: "exited" });
  });

  test("yields only the end when the cursor is at the end or past it", async () => {
    endedSession(state, "done", { output: ["abc"] });
    expect(await all(start("done", 3))).toEqual([{ type: "end", cursor: 3, state: "exited" }]);
    expect(await all(start("done", 999))).toEqual([{ type: "end", cursor: 3, state: "exited" }]);
  });

  test("says where bytes were not kept", async () => {
    endedSession(state, "cut", { output: ["0123456789", "lost"], maxBytes: 10 });
    const items = await all(start("cut"));
    expect(textOf(items)).toBe("0123456789");
    expectContinuous(items, 0);
    expect(items).toContainEqual({ type: "gap", from: 10, to: 14 });
    expect(items.at(-1)).toEqual({ type: "end", cursor: 14, state: "exited" });
  });

  test("is not found when there is no such session, and no path is made of a bad id", async () => {
    for (const id of ["nobody", "..", ".", "../sessions", "/etc", "a/b", "a\0b", "x".repeat(200), ""]) {
      expect(await failure(all(start(id)))).toHaveProperty("message", `session not found: ${id}`);
    }
  });
});

describe("a running session", () => {
  test("comes from the disk first and then from the socket, each byte once, to the end", async () => {
    using holder = new SmallHolder(state, "run");
    holder.append("before ");
    const items = all(start("run"));
    await holder.hasFollowers(1);
    holder.append("while ");
    holder.append("it ran", { channel: "stderr" });
    holder.end({ state: "signaled", signal: "SIGTERM", exit_code: null });
    const got = await items;
    expect(textOf(got)).toBe("before while it ran");
    expectContinuous(got, 0);
    expect(got.findLast((item) => item.type === "data")).toMatchObject({ channel: "stderr" });
    expect(got.at(-1)).toEqual({ type: "end", cursor: 19, state: "signaled" });
  });

  test("catches up from disk without the holder", async () => {
    using holder = new SmallHolder(state, "run");
    holder.append(new Uint8Array(4 * 1024 * 1024));
    const items = all(start("run"));
    await holder.hasFollowers(1);
    expect(holder.taken).toBeLessThan(1000);
    holder.end();
    expectContinuous(await items, 0);
  });

  test("passes on a gap that the holder reports", async () => {
    using holder = new SmallHolder(state, "run");
    const items = start("run");
    const first = items.next();
    await holder.hasFollowers(1);
    holder.gap(0, 1000);
    expect((await first).value).toEqual({ type: "gap", from: 0, to: 1000 });
    await items.return();
    await holder.hasConnections(0);
  });

  test("is closed at the holder as soon as the consumer leaves", async () => {
    using holder = new SmallHolder(state, "run");
    holder.append("x");
    for await (const item of start("run")) {
      if (item.type === "data" && item.cursor === 1) break;
      void holder.hasFollowers(1).then(() => holder.append("y"));
    }
    await holder.hasConnections(0);
  });

  test("is closed at the holder as soon as the signal fires, and ends without an end", async () => {
    using holder = new SmallHolder(state, "run");
    const abort = new AbortController();
    const items = all(start("run", 0, abort.signal));
    await holder.hasFollowers(1);
    abort.abort();
    expect(await items).toEqual([]);
    await holder.hasConnections(0);
  });

  test("does not fill memory when its consumer is slow: the holder is held back", async () => {
    using holder = new SmallHolder(state, "run");
    const items = start("run");
    const first = items.next();
    await holder.hasFollowers(1);
    for (let sent = 0; sent < 64; sent++) holder.append(new Uint8Array(1024 * 1024));
    await first;
    // The first follower takes no second item, while another takes all of them: the first had as
    // many chances to go on.
    expect(await bytesUntil(64 * 1024 * 1024, start("run"))).toBe(64 * 1024 * 1024);
    expect(holder.taken).toBeLessThan((64 + 2) * 1024 * 1024);
    expect(await bytesUntil(64 * 1024 * 1024, items)).toBe(64 * 1024 * 1024 - 64 * 1024);
    await holder.hasConnections(0);
  });
});

describe("an unusable holder", () => {
  test("that is gone leaves its transcript, and the session as failed", async () => {
    using holder = new SmallHolder(state, "lost");
    const items = all(start("lost"));
    await holder.hasFollowers(1);
    holder.append("last words");
    holder.vanish();
    const got = await items;
    expect(textOf(got)).toBe("last words");
    expectContinuous(got, 0);
    expect(got.at(-1)).toEqual({ type: "end", cursor: 10, state: "failed" });
  });

  test.each(["no socket", "silent", "refusing"] as const)(
    "(%s) is followed through the session's files",
    async (manner) => {
      using holder = new SmallHolder(state, "quiet", manner);
      holder.append("one ");
      const items = start("quiet");
      expect((await items.next()).value).toMatchObject({ type: "data", cursor: 0 });
      const second = items.next();
      holder.append("two ");
      expect((await second).value).toMatchObject({ type: "data", cursor: 4 });
      const last = items.next();
      holder.end();
      expect((await last).value).toEqual({ type: "end", cursor: 8, state: "exited" });
      expect((await items.next()).done).toBe(true);
    },
  );

  /**
   * A wait whose session was removed said "cannot access the sessions: ENOENT, watch", as if the
   * state directory were gone.
   */
  test("whose session is removed meanwhile is reported as that", async () => {
    using holder = new SmallHolder(state, "gone", "no socket");
    holder.append("one ");
    const items = start("gone");
    await items.next();
    rmSync(join(state.layout.sessions, "gone"), { recursive: true });
    expect(await failure(items.next())).toMatchObject({ code: "ENOTFOUND" });
  });

  test("that is killed while only its files are followed is noticed within seconds", async () => {
    using holder = new SmallHolder(state, "quiet", "no socket");
    const items = all(start("quiet"));
    holder.vanish();
    expect(await items).toEqual([{ type: "end", cursor: 0, state: "failed" }]);
  });
});

test("whatever the pieces and wherever the start, the bytes are those that were written", async () => {
  let count = 0;
  const pieces = fc.array(fc.uint8Array({ minLength: 1, maxLength: 3000 }), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(pieces, fc.nat(12), fc.nat(4000), async (written, early, at) => {
      const whole = Buffer.concat(written);
      const cursor = Math.min(at, whole.length);
      using holder = new SmallHolder(state, `p${count++}`);
      for (const piece of written.slice(0, early)) holder.append(piece);
      const items = all(start(holder.id, cursor));
      await holder.hasFollowers(1);
      for (const piece of written.slice(early)) holder.append(piece);
      holder.end();
      const got = await items;
      expect(textOf(got)).toBe(whole.subarray(cursor).toString("latin1"));
      expectContinuous(got, cursor);
    }),
    { numRuns: 60 },
  );
});
