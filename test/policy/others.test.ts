/**
 * The policy did not cover the user's own shells: with `allow = ["echo"]` a caller ran `id` by
 * session.exec in a `holt start bash`, and the MCP toolsets `terminal` and `all` typed into and
 * ended any session.
 */
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { DaemonClient } from "../../src/client/daemon/daemon-client.ts";
import { TABLE } from "../../src/protocol/methods/table.schema.ts";
import { until } from "../chaos/size.ts";
import { failure } from "../client/failure.ts";
import { configure } from "../config/configure.ts";
import { dial, end, withDaemon } from "../daemon/household.ts";
import { AgentClient, textOf } from "../mcp/agent-client.ts";
import { Bench } from "../support/holt.ts";

const SHELL = ["bash", "--norc", "--noprofile"];
const acting = [...TABLE.values()].filter(({ sessionParam }) => sessionParam !== undefined);

test("every method that writes to, runs in or ends a session declares its session parameter", () => {
  const silent = [...TABLE.values()].filter(
    ({ effect, params, sessionParam }) =>
      (effect === "write" || effect === "exec") &&
      ("session_id" in params.shape || "id" in params.shape) &&
      sessionParam === undefined,
  );
  // the id of a session to start, and of one that is only read
  expect(silent.map(({ name }) => name)).toEqual([
    "session.start",
    "session.export",
    "exec.run",
    "exec.run_background",
  ]);
});

async function prompt(client: DaemonClient, session_id: string): Promise<void> {
  await client.call("session.wait", { session_id, until: ["prompt"] });
}

describe("A session of the user", () => {
  test("is closed to all acting methods once there are rules; reads need no approval", async () => {
    await withDaemon(async (client, bench) => {
      await bench.run(["start", "--session-id", "mine", "--", ...SHELL]);
      expect(bench.meta("mine").started_by).toBeNull();
      await prompt(client, "mine");
      expect((await client.call("session.exec", { session_id: "mine", command: "echo a" })).text).toBe("a\n");
      const allowed = ['allow = ["echo"]', 'deny = ["curl"]', 'otherwise = "ask"', 'roots = ["/tmp"]', 'env = ["A"]'];
      for (const rule of allowed) {
        configure(bench, `[policy]\n${rule}\n`);
        for (const { name, sessionParam = "id", examples } of acting) {
          const params = { ...examples[0], [sessionParam]: "mine" };
          expect([rule, name, await failure(client.call(name, params as never))]).toMatchObject([
            rule,
            name,
            { code: "EDENIED", message: expect.stringContaining("the user"), details: { rule: "policy.others" } },
          ]);
        }
        const all = client.call("daemon.shutdown", { stop_sessions: true });
        expect(await failure(all)).toMatchObject({ code: "EDENIED", details: { rule: "policy.others" } });
      }
      expect(await client.call("session.get", { session_id: "mine" })).toMatchObject({ state: "running" });
      configure(bench, '[policy]\nallow = ["echo"]\nothers = "allow"\n');
      expect((await client.call("session.exec", { session_id: "mine", command: "echo b" })).text).toBe("b\n");
      expect((await bench.run(["exec", "mine", "echo c"])).text).toBe("c\n"); // the user's own commands
      await bench.run(["kill", "mine"]);
    });
  });

  test("is opened by one approval of the user, which does not show the input", async () => {
    await withDaemon(async (client, bench) => {
      await bench.run(["start", "--session-id", "mine", "--", ...SHELL]);
      await prompt(client, "mine");
      configure(bench, '[policy]\nothers = "ask"\n');
      const typed = client.call("session.exec", { session_id: "mine", command: "echo typed" });
      const directory = join(bench.state, "approvals");
      await until(
        "it is asked",
        () => existsSync(directory) && readdirSync(directory).some((name) => /^\w.*json$/.test(name)),
      );
      const [asked] = JSON.parse((await bench.run(["approvals", "--json"])).text).approvals;
      expect(asked).toMatchObject({ method: "session.exec", session_id: "mine", argv: SHELL, rule: "policy.others" });
      expect(JSON.stringify(asked)).not.toContain("typed");
      expect((await bench.run(["approvals"])).text).toContain("session.exec to session mine: bash");
      await bench.run(["approve", asked.approval_id]);
      expect((await typed).text).toBe("typed\n");
      expect((await client.call("session.exec", { session_id: "mine", command: "echo again" })).text).toBe("again\n");
      await bench.run(["kill", "mine"]);
    });
  });
});

describe("A session of a caller", () => {
  test("belongs to that caller alone, under any daemon", async () => {
    using bench = Bench.withDaemon();
    try {
      await bench.run(["daemon"]);
      configure(bench, '[policy]\nallow = ["bash"]\n');
      {
        using client = await dial(bench);
        await client.call("session.start", { argv: SHELL, session_id: "own" });
        expect(bench.meta("own").started_by).toMatchObject({ pid: process.pid, label: expect.any(String) });
        expect((await bench.run(["show", "own"])).text).toMatch(new RegExp(`^by\\t.*, pid ${process.pid}$`, "m"));
        await prompt(client, "own");
        expect((await client.call("session.exec", { session_id: "own", command: "echo a" })).text).toBe("a\n");
        process.kill(bench.daemonPid ?? 0, "SIGKILL");
      }
      await bench.run(["daemon"]);
      using client = await dial(bench);
      expect((await client.call("session.exec", { session_id: "own", command: "echo b" })).text).toBe("b\n");
      const other = await bench.run(["call", "session.kill", '{"session_id":"own"}']);
      expect(JSON.parse(other.text)).toMatchObject({ error: { code: "EDENIED", details: { rule: "policy.others" } } });
      configure(bench, "nonsense");
      expect(await client.call("session.kill", { session_id: "own" })).toMatchObject({ reason: "kill_requested" });
    } finally {
      await end(bench);
    }
  });
});

describe("Over MCP", () => {
  const SENT = { data: btoa("x") };
  test.each([
    ["terminal", "pty_open", "id", { pty_resize: { rows: 30, cols: 90 }, pty_send: SENT, pty_close: {} }],
    ["all", "session_start", "session_id", { session_send: { text: "x" }, exec_cancel: {}, session_kill: {} }],
  ])("in toolset %s another client's session needs takeover", async (tools, start, key, calls) => {
    await using agent = await AgentClient.open("modern", { tools });
    const { bench } = agent;
    await bench.run(["start", "--session-id", "mine", "--", "cat"]);
    for (const [name, given] of Object.entries(calls)) {
      const refused = await agent.call(name, { [key]: "mine", ...given });
      expect([name, refused.isError, textOf(refused)]).toEqual([name, true, expect.stringContaining("takeover: true")]);
    }
    configure(bench, '[policy]\nallow = ["cat"]\n');
    for (const [name, given] of Object.entries(calls)) {
      const denied = await agent.call(name, { [key]: "mine", ...given, takeover: true });
      expect([name, textOf(denied)]).toEqual([name, expect.stringContaining("not allowed by policy.others")]);
    }
    configure(bench, "");
    const own = (await agent.ask(start, { argv: ["/bin/cat"] }))[key];
    for (const [name, given] of Object.entries(calls)) {
      await agent.ask(name, { [key]: "mine", ...given });
      await agent.ask(name, { [key]: own, ...given });
    }
  });

  /**
   * token_create was denied on another client's session, while web_ticket granted the same access:
   * an agent got a link to type into the user's shell without takeover.
   */
  test("a key to other clients' sessions needs takeover", async () => {
    await using agent = await AgentClient.open("modern", { tools: "all" });
    await agent.bench.run(["start", "--session-id", "mine", "--", "cat"]);
    const mine = { session_id: "mine", role: "driver" };
    const token_id = "t0000000";
    for (const [name, given] of [
      ["web_ticket", mine],
      ["web_ticket", {}],
      ["token_create", mine],
      ["token_rotate", { token_id }],
    ] as const) {
      const refused = await agent.call(name, given);
      expect([name, refused.isError, textOf(refused)]).toEqual([name, true, expect.stringContaining("takeover: true")]);
    }
    await agent.ask("web_ticket", { session_id: "mine", role: "viewer" });
    await agent.ask("web_ticket", { session_id: "mine" });
    await agent.ask("web_ticket", { takeover: true });
    await agent.ask("web_ticket", { ...mine, takeover: true });
    const { session_id } = await agent.ask("session_start", { argv: ["/bin/cat"] });
    await agent.ask("web_ticket", { session_id, role: "driver" });
  });

  test("ending every session needs takeover", async () => {
    await using agent = await AgentClient.open("modern", { tools: "all" });
    const refused = await agent.call("daemon_shutdown", { stop_sessions: true });
    expect(textOf(refused)).toContain("takeover: true");
    expect(await agent.ask("daemon_shutdown", { stop_sessions: true, takeover: true })).toEqual({ stopped: [] });
  });
});
