/**
 * An agent's call was lost with the daemon that carried it: the session id was gone, and the error said to try again, which ran the command a second
 * time. Now the answer comes all the same, through the next daemon.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isAlive } from "../chaos/processes.ts";
import { until } from "../chaos/size.ts";
import { AgentClient } from "./agent-client.ts";

describe("when the daemon is killed during a call,", () => {
  let agent: AgentClient;
  beforeAll(async () => {
    agent = await AgentClient.open("modern");
  });
  afterAll(() => agent[Symbol.asyncDispose]());

  const file = (name: string): string => join(agent.bench.root, name);

  /** Kills it once `isSo`, and is back when it is gone. */
  async function killDaemon(what: string, isSo: () => boolean): Promise<void> {
    await until(what, isSo);
    const pid = agent.bench.daemonPid ?? -1;
    process.kill(pid, "SIGKILL");
    await until("the daemon is gone", () => !isAlive(pid));
  }

  test("a command that runs is answered with its result, and was run once", async () => {
    const command = `echo ran >> ran; echo one; until [ -e go ]; do sleep 0.02; done; echo '{"passed":1}'; exit 5`;
    const running = agent.ask("exec_run", { command, cwd: agent.bench.root });
    await killDaemon("it runs", () => existsSync(file("ran")));
    writeFileSync(file("go"), "");
    expect(await running).toMatchObject({
      state: "exited",
      exit_code: 5,
      channels: { stdout: 'one\n{"passed":1}\n', stderr: "" },
      truncated: false,
    });
    expect(readFileSync(file("ran"), "utf8")).toBe("ran\n");
  });

  test("one that is not done in time answers with its session, which goes on", async () => {
    const command = "echo ran >> twice; until [ -e on ]; do sleep 0.02; done; exit 6";
    const running = agent.ask("exec_run", { command, cwd: agent.bench.root, yield_ms: 3000 });
    await killDaemon("it runs", () => existsSync(file("twice")));
    const { session_id, state, next } = await running;
    expect(state).toBe("running");
    expect(next).toContain(`session_wait {"session_id":"${String(session_id)}"`);
    writeFileSync(file("on"), "");
    expect(await agent.ask("session_wait", { session_id })).toMatchObject({ exit_code: 6 });
    expect(readFileSync(file("twice"), "utf8")).toBe("ran\n");
  });

  test("a wait goes on", async () => {
    const { session_id } = await agent.ask("session_start", { argv: ["sh", "-c", "read x; echo got $x"] });
    const waiting = agent.ask("session_wait", { session_id, until: [{ match: "got (\\w+)" }] });
    await killDaemon("there is a session", () => agent.bench.started().includes(String(session_id)));
    await agent.ask("session_send", { session_id, text: "it\n" });
    expect(await waiting).toMatchObject({ outcome: "matched", match: "got it" });
  });

  test("a command in a live shell is answered with its result, and was run once", async () => {
    const { session_id } = await agent.ask("session_start", { argv: ["bash", "--norc"], cwd: agent.bench.root });
    await agent.ask("session_wait", { session_id, until: "prompt" });
    const command = "echo ran >> shell; until [ -e further ]; do sleep 0.02; done; echo done; (exit 7)";
    const running = agent.ask("session_exec", { session_id, command });
    await killDaemon("it runs", () => existsSync(file("shell")));
    writeFileSync(file("further"), "");
    expect(await running).toMatchObject({ outcome: "done", exit_code: 7, text: "done\n", cwd: agent.bench.root });
    expect(readFileSync(file("shell"), "utf8")).toBe("ran\n");
  });

  test("what is canceled then ends all the same", async () => {
    const canceling = new AbortController();
    const command = "echo $$ > pid; until [ -e never ]; do sleep 0.02; done";
    const running = agent.call("exec_run", { command, cwd: agent.bench.root }, canceling.signal);
    await killDaemon("it runs", () => existsSync(file("pid")) && readFileSync(file("pid"), "utf8").endsWith("\n"));
    const pid = Number(readFileSync(file("pid"), "utf8"));
    await until("another daemon runs", () => agent.bench.daemonPid !== null);
    canceling.abort();
    expect(await running.catch((error: unknown) => error)).toBeInstanceOf(Error);
    await until("it has ended", () => !isAlive(pid));
  });
});
