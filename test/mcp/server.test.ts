import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { until } from "../chaos/size.ts";
import { endedSession, StateDir } from "../client/sessions.ts";
import { SmallHolder } from "../client/small-holder.ts";
import { ageMarks } from "../support/marks.ts";
import { environment, HOLT } from "./connect.ts";
import { RawServer } from "./raw-server.ts";

let state: StateDir;
beforeEach(() => {
  state = new StateDir();
});
afterEach(() => state[Symbol.dispose]());

async function holt(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const child = Bun.spawn([...HOLT, ...args], {
    env: environment(state),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, out, err };
}

describe("the command line", () => {
  test("refuses a toolset that does not exist and says which do", async () => {
    for (const args of [["--tools", "nosuch"], ["--tools=some"]]) {
      const { code, out, err } = await holt("mcp", ...args);
      expect(code).toBe(2);
      expect(out).toBe("");
      expect(err).toContain(args.at(-1)?.replace("--tools=", "") ?? "");
      expect(err).toContain("derun");
    }
  });

  test("refuses arguments it does not know", async () => {
    expect((await holt("mcp", "--port", "1")).code).toBe(2);
    expect((await holt("mcp", "derun")).code).toBe(2);
  });

  test("explains itself", async () => {
    const { code, out } = await holt("mcp", "--help");
    expect(code).toBe(0);
    expect(out).toContain("holt mcp");
    expect(out).toContain("--tools");
  });
});

describe("the server ends", () => {
  test("when its input does, without a word", async () => {
    await using server = new RawServer(state);
    await server.initialize();
    server.closeInput();
    expect(await server.ended()).toEqual({ exitCode: 0, signal: null, stderr: "" });
  });

  test("when there was never any input", async () => {
    expect(await holt("mcp")).toEqual({ code: 0, out: "", err: "" });
  });

  test("on SIGTERM and SIGINT, cleanly, also while somebody waits", async () => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      using holder = new SmallHolder(state, `run-${signal}`);
      await using server = new RawServer(state, ["mcp", "--tools", "derun"]);
      await server.initialize();
      await server.request("tools/call", {
        name: "derun_wait_output",
        arguments: { session_id: holder.id, cursor: "0" },
      });
      await holder.hasFollowers(1);
      server.kill(signal);
      expect(await server.ended()).toEqual({ exitCode: 0, signal: null, stderr: "" });
      await holder.hasConnections(0);
    }
  });

  test("when its input ends while somebody waits", async () => {
    using holder = new SmallHolder(state, "run");
    await using server = new RawServer(state);
    await server.initialize();
    await server.request("tools/call", { name: "derun_wait_output", arguments: { session_id: "run", cursor: "0" } });
    await holder.hasFollowers(1);
    server.closeInput();
    expect((await server.ended()).exitCode).toBe(0);
    await holder.hasConnections(0);
  });

  test("on SIGTERM although nobody reads its answers", async () => {
    endedSession(state, "big", { output: [new Uint8Array(1024 * 1024)] });
    await using server = new RawServer(state);
    await server.initialize();
    for (let sent = 0; sent < 4; sent++) {
      await server.request("tools/call", {
        name: "derun_read_output",
        arguments: { session_id: "big", max_bytes: 1024 * 1024 },
      });
    }
    // Its answer is far more than a pipe holds, and nobody takes it.
    await until("a call was carried out", () => carriedOut() > 0);
    server.kill("SIGTERM");
    expect(await server.ended()).toMatchObject({ exitCode: 0, signal: null });
  });
});

test("a client that no longer takes answers ends the server", async () => {
  const child = Bun.spawn(["sh", "-c", '"$@" | true', "sh", ...HOLT, "mcp", "--tools", "derun"], {
    env: environment(state),
    stdin: "pipe",
    stdout: "ignore",
    stderr: "pipe",
  });
  void child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n');
  await child.stdin.flush();
  expect(await new Response(child.stderr).text()).toBe("");
  await child.exited;
  await child.stdin.end();
});

test("requests that were sent before the input ended are answered", async () => {
  endedSession(state, "big", { output: [new Uint8Array(300_000).fill(120)] });
  await using server = new RawServer(state);
  await server.initialize();
  const ids = [];
  for (let sent = 0; sent < 3; sent++) {
    ids.push(
      await server.request("tools/call", {
        name: "derun_read_output",
        arguments: { session_id: "big", max_bytes: 300_000 },
      }),
    );
  }
  server.closeInput();
  for (const id of ids)
    expect(await server.answer(id)).toMatchObject({ result: { structuredContent: { next_cursor: "300000" } } });
});

describe("malformed input", () => {
  /** Anything but a JSON-RPC message. */
  const garbage = fc
    .oneof(
      fc.string({ maxLength: 200 }),
      fc.json(),
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString("latin1")),
      fc.constantFrom(
        "",
        "{",
        "[]",
        "null",
        "{}",
        '{"jsonrpc":"2.0"}',
        '{"jsonrpc":"1.0","id":1,"method":"x"}',
        "[".repeat(50_000),
      ),
      fc.constantFrom(
        '{"jsonrpc":"2.0","id":{},"method":"tools/list"}',
        '{"jsonrpc":"2.0","id":1,"method":7}',
        '\ufeff{"id":1}',
      ),
    )
    .map((line) => line.replaceAll("\n", " "));

  test("of any kind does not disturb the requests that follow it", async () => {
    endedSession(state, "done", { output: ["still here"] });
    await using server = new RawServer(state);
    await server.initialize();
    await fc.assert(
      fc.asyncProperty(fc.array(garbage, { minLength: 1, maxLength: 20 }), async (bad) => {
        await server.write(`${bad.join("\n")}\n`);
        const result = await server.call("read_output", { session_id: "done" });
        expect(result["structuredContent"]).toMatchObject({ next_cursor: "10", eof: true });
      }),
      { numRuns: 100 },
    );
  });

  test("before the first request does not either", async () => {
    await using server = new RawServer(state);
    await server.write('hello?\n{"a":1}\n\0\0\0\n\r\n');
    await server.initialize();
    expect((await server.call("list_sessions"))["isError"]).toBeUndefined();
  });

  test("of any method, arguments and tool name is answered with an error, not with an end", async () => {
    await using server = new RawServer(state);
    await server.initialize();
    const params = fc.dictionary(fc.string(), fc.jsonValue());
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("tools/call", "tools/list", "nope", "initialize", "ping"),
        params,
        async (method, given) => {
          expect(await server.answer(await server.request(method, given as Record<string, unknown>))).toHaveProperty(
            "jsonrpc",
          );
        },
      ),
      { numRuns: 100 },
    );
    expect((await server.call("list_sessions"))["isError"]).toBeUndefined();
  });

  test("of 64 MiB in one line costs neither the connection nor the memory", async () => {
    await using server = new RawServer(state);
    await server.initialize();
    const before = rss(server.pid);
    const block = "x".repeat(1024 * 1024);
    for (let sent = 0; sent < 64; sent++) await server.write(block);
    await server.write("\n");
    expect((await server.call("list_sessions"))["isError"]).toBeUndefined();
    expect(rss(server.pid) - before).toBeLessThan(48 * 1024);
    expect(readFileSync(state.layout.logFile, "utf8")).toContain("too long");
  });
});

test("answers that nobody reads pile up no further than a few", async () => {
  endedSession(state, "big", { output: [new Uint8Array(1024 * 1024)] });
  await using server = new RawServer(state);
  await server.initialize();
  const before = rss(server.pid);
  const ids: number[] = [];
  for (let sent = 0; sent < 100; sent++) {
    ids.push(
      await server.request("tools/call", {
        name: "derun_read_output",
        arguments: { session_id: "big", max_bytes: 1024 * 1024 },
      }),
    );
  }
  for (const [taken, id] of ids.entries()) {
    expect(await server.answer(id)).toMatchObject({ result: { structuredContent: { eof: true } } });
    // Never further ahead of whoever reads than a few: what was not asked for yet was not even begun.
    expect(carriedOut()).toBeLessThan(taken + 1 + 5);
    if (taken === 0) expect(rss(server.pid) - before).toBeLessThan(48 * 1024);
  }
});

describe("retention", () => {
  /** What a server that has just started lists. */
  async function listedByServer(): Promise<string[]> {
    await using server = new RawServer(state);
    await server.initialize();
    const { structuredContent } = await server.call("list_sessions");
    return (structuredContent as { sessions: { session_id: string }[] }).sessions
      .map(({ session_id }) => session_id)
      .toSorted();
  }

  test("is swept at the start: what expired 10 minutes of uptime ago goes, what runs or is new stays, and the log says why", async () => {
    const longAgo = new Date(Date.now() - 2 * 86_400_000).toISOString();
    endedSession(state, "old", { output: ["x"], final: { ended_at: longAgo } });
    endedSession(state, "kept-longer", { meta: { retention_seconds: 7 * 86_400 }, final: { ended_at: longAgo } });
    endedSession(state, "new");
    using _holder = new SmallHolder(state, "live");
    expect(await listedByServer()).toEqual(["kept-longer", "live", "new", "old"]);
    ageMarks(state.layout);
    expect(await listedByServer()).toEqual(["kept-longer", "live", "new"]);
    expect(existsSync(join(state.layout.sessions, "old"))).toBe(false);
    const log = readFileSync(state.layout.logFile, "utf8");
    expect(log).toContain('"cleanup_reason":"expired"');
    expect(log).toContain('"cleanup_reason":"active_session"');
    expect(log).toContain('"cleanup_reason":"not_expired"');
  });

  test("needs no state directory, and none is made", async () => {
    const root = join(state.layout.root, "not", "there");
    const child = Bun.spawn([...HOLT, "mcp", "--tools", "derun"], {
      env: { ...environment(state), HOLT_STATE_DIR: root },
      stdin: Buffer.from(""),
      stdout: "ignore",
      stderr: "pipe",
    });
    expect(await new Response(child.stderr).text()).toBe("");
    expect(await child.exited).toBe(0);
    expect(existsSync(root)).toBe(false);
  });
});

test("each call leaves a record in the log, with the session and what was read", async () => {
  endedSession(state, "done", { output: ["0123456789"] });
  await using server = new RawServer(state);
  await server.initialize();
  await server.call("read_output", { session_id: "done", cursor: "4" });
  await server.call("read_output", { session_id: "nobody" });
  const records = readFileSync(state.layout.logFile, "utf8").trim().split("\n");
  const calls = records.map((line) => JSON.parse(line)).filter(({ message }) => message === "mcp call");
  expect(calls).toMatchObject([
    { method: "derun_read_output", session_id: "done", chunk_offset: 4, chunk_size: 6, rc: 0 },
    { method: "derun_read_output", session_id: "nobody", rc: 1, error: "ENOTFOUND" },
  ]);
});

/** How many calls the log tells of. */
function carriedOut(): number {
  if (!existsSync(state.layout.logFile)) return 0;
  return readFileSync(state.layout.logFile, "utf8").split("mcp call").length - 1;
}

/** KiB. */
function rss(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}
