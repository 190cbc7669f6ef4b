/** What is told of commands and terminals in the words of exec.* and pty.*, with cursors, and without anybody being held back. */
import { describe, expect, test } from "bun:test";
import type { Bench } from "../support/holt.ts";
import { withDaemon } from "./household.ts";
import { RawCaller, request } from "./raw-caller.ts";

interface Notice {
  method: string;
  params: Record<string, unknown>;
}

interface Answer {
  result: Record<string, unknown>;
}

async function told(caller: RawCaller, ...last: string[]): Promise<Notice[]> {
  const notices: Notice[] = [];
  for (;;) {
    const notice = (await caller.next()) as Notice | null;
    if (notice === null) throw new Error("the daemon hung up");
    notices.push(notice);
    if (last.includes(notice.method)) return notices;
  }
}

const dataIn = (notices: readonly Notice[], method: string, channel?: string): string =>
  notices
    .filter((notice) => notice.method === method && (channel === undefined || notice.params["channel"] === channel))
    .map(({ params }) => Buffer.from(String(params["data"]), "base64").toString())
    .join("");

/** Nothing was told before the answer to a question that is asked now. */
async function expectSilence(caller: RawCaller): Promise<void> {
  await caller.write(request(99, "health.info"));
  expect(await caller.next()).toMatchObject({ id: 99 });
}

async function asked(
  bench: Bench,
  method: string,
  params: object,
): Promise<{ caller: RawCaller; result: Answer["result"] }> {
  const caller = await RawCaller.dial(bench);
  await caller.write(request(1, method, params));
  return { caller, result: ((await caller.next()) as Answer).result };
}

describe("exec.run_background {notify_on}", () => {
  test("output and exit: all that it prints, by channel and from the beginning on, and then how it ended", async () => {
    await withDaemon(async (_client, bench) => {
      const command = "echo out; echo err >&2; exit 3";
      const { caller, result } = await asked(bench, "exec.run_background", { command, notify_on: ["output", "exit"] });
      using _ = caller;
      const { session_id, subscription_id } = result;
      const notices = await told(caller, "exec.completed", "exec.failed");
      expect(dataIn(notices, "exec.output", "stdout")).toBe("out\n");
      expect(dataIn(notices, "exec.output", "stderr")).toBe("err\n");
      let next = "0";
      for (const { params } of notices.slice(0, -1)) {
        expect(params).toMatchObject({ session_id, subscription_id, cursor: next });
        next = String(params["next_cursor"]);
      }
      expect(notices.at(-1)).toEqual({
        jsonrpc: "2.0",
        method: "exec.completed",
        params: {
          subscription_id,
          session_id,
          state: "exited",
          reason: "completed",
          exit_code: 3,
          signal: null,
          duration_ms: expect.any(Number),
          cursor: next,
        },
      } as never);
      await expectSilence(caller);
    });
  });

  test("exit alone tells of no output, and without any nothing is told", async () => {
    await withDaemon(async (client, bench) => {
      const { caller } = await asked(bench, "exec.run_background", { command: "echo x", notify_on: ["exit"] });
      using _ = caller;
      expect((await told(caller, "exec.completed")).map(({ method }) => method)).toEqual(["exec.completed"]);
      await caller.write(request(2, "exec.run_background", { command: "echo x" }));
      const { result } = (await caller.next()) as Answer;
      expect(result["subscription_id"]).toBeNull();
      await client.call("session.wait", { session_id: String(result["session_id"]), until: ["exit"] });
      await expectSilence(caller);
    });
  });

  test("timeout tells of one whose time was up, and of no other end", async () => {
    await withDaemon(async (client, bench) => {
      const slow = { command: "sleep 60", timeout_ms: 50, notify_on: ["timeout"] };
      const { caller, result } = await asked(bench, "exec.run_background", slow);
      using _ = caller;
      expect(await told(caller, "exec.failed")).toMatchObject([
        {
          method: "exec.failed",
          params: { session_id: result["session_id"], reason: "timeout", error: { code: "ETIMEOUT" } },
        },
      ]);
      await caller.write(request(2, "exec.run_background", { command: "true", notify_on: ["timeout"] }));
      const { result: quick } = (await caller.next()) as Answer;
      await client.call("session.wait", { session_id: String(quick["session_id"]), until: ["exit"] });
      await expectSilence(caller);
    });
  });

  test("a stop that was asked for is no failure, and a lost holder is one", async () => {
    await withDaemon(async (client, bench) => {
      const { caller, result } = await asked(bench, "exec.run_background", {
        command: "sleep 60",
        notify_on: ["exit"],
      });
      using _ = caller;
      await client.call("exec.cancel", { session_id: String(result["session_id"]) });
      expect((await told(caller, "exec.completed", "exec.failed")).at(-1)).toMatchObject({
        method: "exec.completed",
        params: { reason: "stop_requested", signal: "SIGTERM" },
      });
      await caller.write(request(2, "exec.run_background", { command: "sleep 60", notify_on: ["exit"] }));
      const { result: lost } = (await caller.next()) as Answer;
      const session_id = String(lost["session_id"]);
      process.kill(bench.meta(session_id).holder.pid, "SIGKILL");
      expect((await told(caller, "exec.completed", "exec.failed")).at(-1)).toMatchObject({
        method: "exec.failed",
        params: { reason: "holder_lost", error: { code: "EINTERNAL" } },
      });
      await client.call("session.kill", { session_id });
    });
  });

  test("one who does not read holds back nobody, and gets it whole when it reads", async () => {
    await withDaemon(async (client, bench) => {
      const lines = 400_000;
      const flood = { args: ["seq", String(lines)], notify_on: ["output", "exit"] };
      const { caller, result } = await asked(bench, "exec.run_background", flood);
      using _ = caller;
      const session_id = String(result["session_id"]);
      expect(await client.call("session.wait", { session_id, until: ["exit"] })).toMatchObject({ exit_code: 0 });
      const notices = await told(caller, "exec.completed");
      const expected = Array.from({ length: lines }, (_unused, i) => `${i + 1}\n`).join("");
      expect(dataIn(notices, "exec.output") === expected).toBe(true);
    });
  });

  test("starts nothing where the connection has as many subscriptions as it may", async () => {
    await withDaemon(async (client, bench) => {
      using caller = await RawCaller.dial(bench);
      for (let i = 0; i < 64; i++) await caller.write(request(i, "session.subscribe", {}));
      for (let i = 0; i < 64; i++) expect(await caller.next()).toHaveProperty("result");
      await caller.write(request(64, "exec.run_background", { command: "true", notify_on: ["exit"] }));
      expect(await caller.next()).toMatchObject({ id: 64, error: { data: { code: "ERLIMIT" } } });
      expect((await client.call("session.list", {})).sessions).toEqual([]);
    });
  });
});

describe("session.subscribe {events}", () => {
  test("pty.output and pty.exit of a terminal, from a cursor on, as pty.read numbers it", async () => {
    await withDaemon(async (client, bench) => {
      const argv = ["/bin/sh", "-c", "printf abc; read x; exit 7"];
      const { id } = await client.call("pty.open", { argv });
      await client.call("pty.read", { id, timeout_ms: 10_000 });
      const events = ["pty.output", "pty.exit", "exec.output", "exec.completed", "exec.failed"];
      const { caller } = await asked(bench, "session.subscribe", { session_id: id, cursor: "1", events });
      using _ = caller;
      const [first] = await told(caller, "pty.output");
      expect(first?.params).toMatchObject({ id, seq: 3, data: btoa("bc"), truncated: false, ts: expect.any(String) });
      await client.call("pty.send", { id, data: btoa("\r") });
      const notices = await told(caller, "pty.exit");
      expect(notices.at(-1)?.params).toMatchObject({ id, rc: 7, seq: 3 + dataIn(notices, "pty.output").length });
      expect(notices.every(({ method }) => method.startsWith("pty."))).toBe(true);
    });
  });

  test("exec.started, exec.completed and exec.failed of every command on pipes, and of no terminal", async () => {
    await withDaemon(async (client, bench) => {
      const events = ["exec.started", "exec.completed", "exec.failed"];
      const { caller } = await asked(bench, "session.subscribe", { events });
      using _ = caller;
      const { id } = await client.call("pty.open", { argv: ["/bin/true"] });
      await client.call("session.wait", { session_id: id, until: ["exit"] });
      const { session_id } = await client.call("exec.run", { command: "exit 5" });
      const notices = await told(caller, "exec.completed");
      expect(notices.map(({ method, params }) => [method, params["session_id"]])).toEqual([
        ["exec.started", session_id],
        ["exec.completed", session_id],
      ]);
      expect(notices[0]?.params).toMatchObject({ argv: [expect.any(String), "-c", "exit 5"] });
    });
  });
});
