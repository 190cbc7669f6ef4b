import { describe, expect, test } from "bun:test";
import type { Bench } from "../support/holt.ts";
import { LocalSessions } from "../../src/client/sessions/local-sessions.ts";
import { LiveSessions } from "../../src/daemon/sessions/live-sessions.ts";
import { Subscriptions } from "../../src/daemon/subscriptions/subscriptions.ts";
import { until } from "../chaos/size.ts";
import { Scratch } from "../transcript/scratch.ts";
import { withDaemon } from "./household.ts";
import { RawCaller, request } from "./raw-caller.ts";

/**
 * The native poller keeps its descriptors for the lifetime of this process; daemons have their own.
 */
process.env["HOLT_NO_NATIVE"] = "1";

interface Notice {
  method: string;
  params: Record<string, unknown>;
}

/** The notifications of the connection until one of that kind. */
async function toldUntil(caller: RawCaller, isLast: (notice: Notice) => boolean): Promise<Notice[]> {
  const told: Notice[] = [];
  for (;;) {
    const notice = (await caller.next()) as Notice | null;
    if (notice === null) throw new Error("the daemon hung up");
    told.push(notice);
    if (isLast(notice)) return told;
  }
}

const bytesIn = (told: readonly Notice[]): string =>
  told
    .filter(({ method }) => method === "session.output")
    .map(({ params }) => Buffer.from(String(params["data"]), "base64").toString())
    .join("");

async function subscribed(
  bench: Bench,
  params: object,
): Promise<{ caller: RawCaller; answer: { result: Record<string, unknown> } }> {
  const caller = await RawCaller.dial(bench);
  await caller.write(request(1, "session.subscribe", params));
  return { caller, answer: (await caller.next()) as { result: Record<string, unknown> } };
}

describe("a subscription", () => {
  test("to a session sends its output from the cursor on, each byte once, and then its end", async () => {
    await withDaemon(async (client, bench) => {
      const argv = ["sh", "-c", "echo one; read x; echo two $x; exit 3"];
      const { session_id } = await client.call("session.start", { argv });
      await client.call("session.wait", { session_id, cursor: "0", until: [{ match: "one" }] });
      const { caller, answer } = await subscribed(bench, { session_id, cursor: "0" });
      using _ = caller;
      expect(answer).toMatchObject({ id: 1, result: { cursor: "0" } });
      await client.call("session.send", { session_id, text: "x\n" });
      const told = await toldUntil(caller, ({ method }) => method === "session.exited");
      expect(bytesIn(told)).toMatch(/^one\r?\n(x\r\n)?two x\r?\n$/);
      let next = 0;
      for (const { params } of told.filter(({ method }) => method === "session.output")) {
        expect(params["cursor"]).toBe(String(next));
        next = Number(params["next_cursor"]);
      }
      const { subscription_id } = answer.result;
      expect(told.at(-2)).toMatchObject({
        method: "session.state_changed",
        params: { subscription_id, state: "exited" },
      });
      expect(told.at(-1)?.params).toMatchObject({ subscription_id, session_id, exit_code: 3, cursor: String(next) });
    });
  });

  test("of a client that does not read delays no other, and is complete once read", async () => {
    await withDaemon(async (client, bench) => {
      const lines = 400_000;
      const { session_id } = await client.call("session.start", { argv: ["seq", String(lines)], pty: false });
      const { caller } = await subscribed(bench, { session_id, cursor: "0", events: ["output", "exited"] });
      using _ = caller;
      expect(await client.call("session.wait", { session_id, until: ["exit"] })).toMatchObject({ outcome: "exited" });
      expect((await client.call("health.info", {})).clients).toBe(2);
      const told = await toldUntil(caller, ({ method }) => method === "session.exited");
      const expected = Array.from({ length: lines }, (_unused, i) => `${i + 1}\n`).join("");
      expect(bytesIn(told) === expected).toBe(true);
    });
  });

  test("to all sessions reports each start and end, by any program", async () => {
    await withDaemon(async (client, bench) => {
      const { session_id: earlier } = await client.call("session.start", { argv: ["sleep", "60"] });
      const { caller, answer } = await subscribed(bench, {});
      using _ = caller;
      expect(answer).toMatchObject({ result: { cursor: null } });
      await bench.run(["run", "--session-id", "by-hand", "--", "true"]);
      const told = await toldUntil(caller, ({ method }) => method === "session.exited");
      expect(told.map(({ method, params }) => [method, params["session_id"]])).toEqual([
        ["session.started", "by-hand"],
        ["session.state_changed", "by-hand"],
        ["session.exited", "by-hand"],
      ]);
      await client.call("session.kill", { session_id: earlier });
      const end = await toldUntil(caller, ({ method }) => method === "session.exited");
      expect(end.at(-1)?.params).toMatchObject({ session_id: earlier, reason: "kill_requested", signal: "SIGKILL" });
    });
  });

  test("can be ended, and ends with its connection", async () => {
    await withDaemon(async (client, bench) => {
      const { session_id } = await client.call("session.start", { argv: ["cat"] });
      const { caller, answer } = await subscribed(bench, { session_id });
      using _ = caller;
      const { subscription_id } = answer.result;
      await caller.write(request(2, "session.unsubscribe", { subscription_id }));
      expect(await caller.next()).toMatchObject({ id: 2, result: { ended: true } });
      await caller.write(request(3, "session.unsubscribe", { subscription_id }));
      expect(await caller.next()).toMatchObject({ id: 3, result: { ended: false } });
      await client.call("session.send", { session_id, text: "x\n" });
      await client.call("session.wait", { session_id, cursor: "0", until: ["output"] });
      await caller.write(request(4, "health.info"));
      expect(await caller.next()).toMatchObject({ id: 4 }); // and nothing before it
      await client.call("session.kill", { session_id });
    });
  });

  test("to the modes of a terminal reports each change", async () => {
    await withDaemon(async (client, bench) => {
      const argv = ["sh", "-c", "read x; printf '\\033[?1h\\033[?2004h\\033]0;hello\\007'; read y"];
      const { session_id } = await client.call("session.start", { argv, pty: { cols: 80, rows: 24 } });
      const { caller } = await subscribed(bench, { session_id, events: ["mode_changed"] });
      using _ = caller;
      await client.call("session.send", { session_id, text: "\n" });
      const told = await toldUntil(caller, ({ params }) => params["title"] === "hello");
      expect(told.at(-1)).toMatchObject({
        method: "session.mode_changed",
        params: { session_id, modes: { app_cursor_keys: true, bracketed_paste: true } },
      });
      await client.call("session.kill", { session_id });
    });
  });

  test("to a missing session, and one too many, are refused", async () => {
    await withDaemon(async (client, bench) => {
      const { answer, caller } = await subscribed(bench, { session_id: "nosuch" });
      using _ = caller;
      expect(answer).toMatchObject({ error: { message: "session not found: nosuch", data: { code: "ENOTFOUND" } } });
      for (let i = 0; i < 65; i++) await caller.write(request(i, "session.subscribe", {}));
      const answers: unknown[] = [];
      for (let i = 0; i < 65; i++) answers.push(await caller.next());
      expect(answers.filter((each) => "error" in (each as object))).toMatchObject([
        { id: 64, error: { data: { code: "ERLIMIT" } } },
      ]);
      await client.call("health.info", {});
    });
  });

  /**
   * After a thousand unread notifications the client received no more, not even the reason, and the
   * subscription counted for good.
   */
  test("that is not read ends at its limit, says so, and makes room for another", async () => {
    const told: { method: string; params: Record<string, unknown> }[] = [];
    const unread: (() => void)[] = [];
    const listener = {
      closeSignal: new AbortController().signal,
      notify: (method: string, params: object) => {
        told.push({ method, params: params as Record<string, unknown> });
        return new Promise<void>((resolve) => unread.push(resolve));
      },
    };
    using scratch = new Scratch();
    const sessions = new LocalSessions(scratch.layout);
    using live = new LiveSessions(sessions);
    const subscriptions = new Subscriptions(sessions, live);
    const { subscription_id } = subscriptions.add(listener, { events: ["started"] });
    const made = Array.from({ length: 1001 }, (_, i) => `s${i}`);
    for (const id of made) scratch.end(id);
    await until("it was given up", () => told.at(-1)?.method === "session.subscription_ended");
    expect(told).toHaveLength(1001);
    expect(told.at(-1)?.params).toMatchObject({ subscription_id, reason: "not_read" });
    for (const read of unread) read();
    for (let i = 0; i < 64; i++) subscriptions.add(listener, { session_id: "s1" });
    expect(() => subscriptions.add(listener, { session_id: "s1" })).toThrow(
      "too many subscriptions on this connection: 64",
    );
  }, 120_000);
});
