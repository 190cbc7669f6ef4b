import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { endedSession, StateDir } from "../client/sessions.ts";
import { dial, end } from "../daemon/household.ts";
import { Bench } from "../support/holt.ts";
import { type Answer, bytesOf, ERAS } from "./connect.ts";
import { Inspector } from "./inspect.ts";

type Given = Readonly<Record<string, unknown>>;
interface Tool {
  name: string;
  outputSchema: z.core.JSONSchema.JSONSchema;
}

describe.each(ERAS)("the MCP inspector, %s era, and the tools of derun:", (era) => {
  let state: StateDir;
  let inspector: Inspector;
  beforeAll(() => {
    state = new StateDir();
    endedSession(state, "done", { output: ["hello"], final: { exit_code: 3 } });
    inspector = new Inspector(state.layout.root);
  });
  afterAll(async () => {
    await inspector[Symbol.asyncDispose]();
    state[Symbol.dispose]();
  });
  const derun = () => ({ root: state.layout.root, era, tools: "derun" });

  async function call(name: string, args: Given): Promise<Answer> {
    return (await inspector.call(derun(), name, args)) as unknown as Answer;
  }

  test("lists the four tools and finds nothing wrong with their schemas", async () => {
    const { result, err } = await inspector.run(derun(), "--method", "tools/list", "--strict");
    expect(err).toBe("");
    expect(result["tools"]).toHaveLength(4);
  });

  test("calls each of them without a warning", async () => {
    expect(await call("derun_list_sessions", { state: "exited", limit: 5 })).toMatchObject({ total_count: 1 });
    expect(await call("derun_get_session", { session_id: "done" })).toMatchObject({ session: { exit_code: 3 } });
    expect(bytesOf(await call("derun_read_output", { session_id: "done", max_bytes: 100 })).toString()).toBe("hello");
    const waited = await call("derun_wait_output", { session_id: "done", cursor: "5", timeout_ms: 1000 });
    expect(waited).toMatchObject({ outcome: "exited", eof: true });
  });
});

describe.each(ERAS)("the MCP inspector, %s era, and the tools of agents:", (era) => {
  let bench: Bench;
  let inspector: Inspector;
  let shell: string;
  let cat: string;
  let spare: string;
  let done: string;
  beforeAll(async () => {
    bench = Bench.withDaemon();
    await bench.run(["daemon"]);
    using client = await dial(bench);
    const started = async (argv: string[]): Promise<string> =>
      (await client.call("session.start", { argv })).session_id;
    shell = await started(["bash", "--norc"]);
    cat = await started(["cat"]);
    spare = await started(["cat"]);
    done = (await client.call("exec.run", { command: "echo needle; exit 3" })).session_id;
    await client.call("session.wait", { session_id: shell, cursor: "0", until: ["prompt"] });
    writeFileSync(join(bench.root, "file"), "hello");
    inspector = new Inspector(bench.root);
  });
  afterAll(async () => {
    await inspector[Symbol.asyncDispose]();
    await end(bench);
    bench[Symbol.dispose]();
  });
  const inspected = (tools: string) => ({ root: bench.state, era, tools });

  async function listed(tools: string): Promise<Tool[]> {
    const { result, err } = await inspector.run(inspected(tools), "--method", "tools/list", "--strict");
    expect(err).toBe("");
    return result["tools"] as Tool[];
  }

  test("calls every one of them: none fails, and each answer is what its schema says", async () => {
    // Another client's sessions are acted on only by one who says so; each call here is another client.
    const takeover = true;
    const file = join(bench.root, "file");
    const calls: Record<string, { given: Given; answer: Given }> = {
      exec_run: { given: { command: "echo out; exit 3" }, answer: { exit_code: 3, channels: { stdout: "out\n" } } },
      session_start: { given: { argv: ["true"], pty: false }, answer: { state: expect.any(String) } },
      session_wait: { given: { session_id: done, until: ["exit"] }, answer: { outcome: "exited", exit_code: 3 } },
      session_read: { given: { session_id: done, tail: 5 }, answer: { text: "needle\n", eof: true } },
      session_search: { given: { query: "needle" }, answer: { hits: [{ session_id: done, line: "needle" }] } },
      session_screen: { given: { session_id: cat }, answer: { cols: 120, rows: 40 } },
      session_exec: {
        given: { session_id: shell, command: "echo $((40+2))", takeover },
        answer: { outcome: "done", text: "42\n" },
      },
      session_send: { given: { session_id: cat, text: "typed\n", takeover }, answer: { bytes_written: 6 } },
      session_list: { given: { states: ["exited"], limit: 5 }, answer: { total_count: expect.any(Number) } },
      session_get: { given: { session_id: done }, answer: { state: "exited", exit_code: 3 } },
      session_stop: { given: { session_id: spare, takeover }, answer: { reason: "stop_requested" } },
      fs_read_file: { given: { path: file }, answer: { data: btoa("hello") } },
      fs_write_file: { given: { path: join(bench.root, "new"), text: "four" }, answer: { bytes: 4 } },
      fs_list: { given: { path: bench.root }, answer: { entries: expect.any(Array) } },
    };
    const tools = await listed("agent");
    expect(tools.map(({ name }) => name).toSorted()).toEqual(Object.keys(calls).toSorted());
    for (const { name, outputSchema } of tools) {
      const { given = {}, answer = {} } = calls[name] ?? {};
      const structured = await inspector.call(inspected("agent"), name, given);
      const { error } = z.fromJSONSchema(outputSchema).safeParse(structured);
      expect(error?.issues, name).toBeUndefined();
      expect(structured, name).toMatchObject(answer);
    }
  });

  test.each(["terminal", "terminal-dotted", "all"])("finds nothing wrong with the schemas of %s", async (tools) => {
    expect(await listed(tools)).not.toEqual([]);
  });
});
