import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { endedSession, StateDir } from "../client/sessions.ts";
import { type Answer, bytesOf, ERAS, HOLT } from "./connect.ts";

const INSPECTOR = join(import.meta.dir, "../../node_modules/.bin/mcp-inspector");

describe.each(ERAS)("the MCP inspector, %s era:", (era) => {
  let state: StateDir;
  beforeAll(() => {
    state = new StateDir();
    endedSession(state, "done", { output: ["hello"], final: { exit_code: 3 } });
  });
  afterAll(() => state[Symbol.dispose]());

  async function inspect(...args: string[]): Promise<{ code: number; result: Record<string, unknown>; err: string }> {
    const target = [...HOLT, "mcp", "--tools", "derun"];
    const env = `HOLT_STATE_DIR=${state.layout.root}`;
    const options = ["-e", env, "--protocol-era", era, "--format", "json", ...args];
    const child = Bun.spawn([INSPECTOR, "--cli", ...target, ...options], {
      env: { ...process.env, HOME: state.layout.root, MCP_CATALOG_PATH: join(state.layout.root, "inspector.json") },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    const [out, err, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    if (code !== 0) throw new Error(`exit ${code}: ${err}`);
    return { code, result: (JSON.parse(out) as { result: Record<string, unknown> }).result, err };
  }

  async function call(name: string, ...args: string[]): Promise<Answer> {
    const given = args.flatMap((arg) => ["--tool-arg", arg]);
    const { result, err } = await inspect("--method", "tools/call", "--tool-name", name, ...given);
    expect(err).toBe("");
    expect(result["isError"]).toBeFalsy();
    return result["structuredContent"] as Answer;
  }

  test("lists the four tools and finds nothing wrong with their schemas", async () => {
    const { result, err } = await inspect("--method", "tools/list", "--strict");
    expect(err).toBe("");
    expect(result["tools"]).toHaveLength(4);
  });

  test("calls each of them without a warning", async () => {
    expect(await call("derun_list_sessions", "state=exited", "limit=5")).toMatchObject({ total_count: 1 });
    expect(await call("derun_get_session", "session_id=done")).toMatchObject({ session: { exit_code: 3 } });
    expect(bytesOf(await call("derun_read_output", "session_id=done", "max_bytes=100")).toString()).toBe("hello");
    const waited = await call("derun_wait_output", "session_id=done", 'cursor="5"', "timeout_ms=1000");
    expect(waited).toMatchObject({ outcome: "exited", eof: true });
  });
});
