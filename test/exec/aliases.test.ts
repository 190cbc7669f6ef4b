import { expect, test } from "bun:test";
import { ALIASES } from "../../src/protocol/methods/aliases.ts";
import { TABLE } from "../../src/protocol/methods/table.schema.ts";
import type { Bench } from "../support/holt.ts";
import { withDaemon } from "../daemon/household.ts";
import { RawCaller, request } from "../daemon/raw-caller.ts";

test("every alias is a name for a method that there is, and no method's own", () => {
  for (const [name, { method }] of Object.entries(ALIASES))
    expect({ name, isMethod: TABLE.has(method), isTaken: TABLE.has(name) }).toEqual({
      name,
      isMethod: true,
      isTaken: false,
    });
});

interface Result {
  session_id: string;
  id: string;
  state: string;
  channels: Record<string, string>;
  data: string;
  entries: object[];
}

async function ask(bench: Bench, method: string, params: object): Promise<Result> {
  using caller = await RawCaller.dial(bench);
  await caller.write(request(1, method, params));
  const { result, error } = (await caller.next()) as { result?: Result; error?: object };
  if (result === undefined) throw new Error(JSON.stringify(error));
  return result;
}

test("commands are run under the names that others give that", async () => {
  await withDaemon(async (_client, bench) => {
    const run = { command: "echo hi", sessionId: "web", timeout: 10_000, outputMode: "buffered" };
    for (const name of ["execute_command", "execute", "exec.run"]) {
      const params = name === "exec.run" ? { command: "echo hi", project_id: "web" } : run;
      const { session_id, channels } = await ask(bench, name, params);
      expect(channels).toEqual({ stdout: "hi\n", stderr: "" });
      expect(bench.meta(session_id).project_id).toBe("web");
      const output = await ask(bench, "get_output", { executionId: session_id, offset: 1, limit: 1 });
      expect(output.channels).toEqual({ stdout: "i" });
    }
    const background = await ask(bench, "exec.runBackground", {
      sessionId: "web",
      command: "sleep 60",
      notifyOn: ["exit"],
    });
    expect(background.state).toBe("running");
    const execute = await ask(bench, "execute", { command: "sleep 60", background: true });
    expect(execute.state).toBe("running");
    for (const { session_id } of [background, execute]) await ask(bench, "exec.cancel", { session_id });
  });
});

test("terminals are opened and written to under the names that others give that", async () => {
  await withDaemon(async (client, bench) => {
    const { id } = await ask(bench, "pty.spawn", { sessionId: "web", command: "cat", size: { rows: 10, cols: 20 } });
    await ask(bench, "pty.write", { ptyId: id, data: "é\n" });
    await client.call("session.wait", { session_id: id, until: { match: "é" }, cursor: "0" });
    expect((await client.call("session.get", { session_id: id })).size).toMatchObject({ rows: 10, cols: 20 });
    await ask(bench, "pty.close", { id });
    const shell = await ask(bench, "spawn_shell", {});
    await ask(bench, "pty.close", { id: shell.id });
  });
});

test("an error names the method, and what its parameters are called", async () => {
  await withDaemon(async (_client, bench) => {
    using caller = await RawCaller.dial(bench);
    await caller.write(request(1, "execute", { comand: "x" }));
    expect(await caller.next()).toMatchObject({
      error: { code: -32602, message: expect.stringContaining("exec.run: ") },
    });
    await caller.write(request(2, "fs.readfile"));
    expect(await caller.next()).toMatchObject({ error: { code: -32601 } });
  });
});
