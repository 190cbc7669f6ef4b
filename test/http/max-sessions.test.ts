/** http.max_sessions: how many sessions that were started over HTTP may live, whichever way they were started there. */
import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../chaos/size.ts";
import { configure } from "../config/configure.ts";
import { end } from "../daemon/household.ts";
import { Bench } from "../support/holt.ts";
import { HttpPlace, type Told } from "./http-place.ts";
import { pageKey, ServedBench } from "./served.ts";

const FULL = { code: "ERLIMIT", hint: "stop one, or raise http.max_sessions", details: { rule: "http.max_sessions" } };
const HERE = { argv: ["cat"] };

/** Every way there is. */
const WAYS: [string, object][] = [
  ["/api/v1/pty/sessions", { cmd: ["cat"] }],
  ["/api/v1/session/start", HERE],
  ["/api/v1/pty/open", HERE],
  ["/api/v1/exec/run", { args: ["true"] }],
  ["/api/v1/exec/run_background", { args: ["cat"] }],
  ["/api/v1/shell/run", { argv: ["true"] }],
];

async function overRpc(http: HttpPlace, method: string, params: object): Promise<{ error?: object }> {
  const socket = http.socket("/api/v1/rpc");
  try {
    await new Promise((resolve) => socket.addEventListener("open", resolve, { once: true }));
    const told = new Promise<string>((resolve) =>
      socket.addEventListener("message", ({ data }) => resolve(String(data)), { once: true }),
    );
    socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
    return JSON.parse(await told) as { error?: object };
  } finally {
    socket.close();
  }
}

async function overMcp(http: HttpPlace): Promise<Told> {
  const message = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "exec_run", arguments: { command: "true" } },
  };
  return http.post("/mcp", message, { headers: { accept: "application/json, text/event-stream" } });
}

describe("http.max_sessions", () => {
  /** Found in review: only POST /api/v1/pty/sessions asked; every other way to start something over HTTP was open. */
  test("holds for every way to start something over HTTP, for programs and for the page; and for nothing else", async () => {
    await using served = await ServedBench.open("http.max_sessions = 2\n");
    const { http, bench } = served;
    const { token: page } = await pageKey({ bench, http });
    // Sessions that were started elsewhere take no place.
    for (const _ of [1, 2, 3]) expect(await bench.run(["start", "--", "cat"])).toMatchObject({ exitCode: 0 });
    expect(await http.post("/api/v1/session/start", { ...HERE, session_id: "mine" })).toMatchObject({ status: 200 });
    expect(await http.post("/api/v1/session/start", HERE, { token: page })).toMatchObject({ status: 200 });
    for (const token of [http.token, page])
      for (const [path, body] of WAYS) {
        const told = await http.post(path, body, { token });
        expect([path, told.status, told.body.error]).toMatchObject([path, 429, FULL]);
        expect(told.headers.get("retry-after")).toBe("5");
      }
    expect(await overRpc(http, "session.start", HERE)).toMatchObject({
      error: { message: expect.stringContaining("at most 2") },
    });
    expect((await overMcp(http)).text).toContain("http.max_sessions");
    expect(await bench.run(["start", "--", "cat"])).toMatchObject({ exitCode: 0 });
    await http.post("/api/v1/session/kill", { session_id: "mine" });
    await until("there is a place", async () => (await http.post("/api/v1/session/start", HERE)).status === 200);
  });

  test("holds for many that come at once, and lets in as many as there is room for", async () => {
    await using served = await ServedBench.open("http.max_sessions = 3\n");
    const told = await Promise.all(Array.from({ length: 12 }, () => served.http.post("/api/v1/session/start", HERE)));
    const statuses = told.map(({ status }) => status);
    expect([statuses.filter((each) => each === 200).length, statuses.filter((each) => each === 429).length]).toEqual([
      3, 9,
    ]);
  });

  test("counts what an earlier daemon started for programs and for the page", async () => {
    using bench = Bench.withDaemon();
    configure(bench, "http.max_sessions = 2\n");
    try {
      await bench.run(["daemon"]);
      const http = await HttpPlace.of(bench);
      const { token: page } = await pageKey({ bench, http });
      for (const token of [http.token, page])
        expect(await http.post("/api/v1/session/start", HERE, { token })).toMatchObject({ status: 200 });
      const before = bench.daemonPid;
      bench.killDaemon();
      await until("it is gone", () => bench.daemonPid !== before);
      await bench.run(["daemon"]);
      const next = await HttpPlace.of(bench);
      expect(await next.post("/api/v1/session/start", HERE)).toMatchObject({ status: 429, body: { error: FULL } });
    } finally {
      await end(bench);
    }
  });
});

/** Found in review: with as many keys as may be, the answer was 429, and the terminal that nobody could attach to ran on. */
test("POST /api/v1/pty/sessions starts nothing where no token can be made for it", async () => {
  using bench = Bench.withDaemon();
  mkdirSync(bench.state, { recursive: true, mode: 0o700 });
  const keys = Array.from({ length: 10_000 }, (_, number) => ({
    token_id: `t${number}`,
    kind: "page",
    scope: { kind: "owner" },
    hash: String(number).padStart(64, "0"),
    created_at: "2026-11-16T00:00:00.000Z",
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
  }));
  writeFileSync(join(bench.state, "tokens.json"), JSON.stringify({ format: 1, keys }), { mode: 0o600 });
  try {
    await bench.run(["daemon"]);
    const http = await HttpPlace.of(bench);
    const made = join(bench.root, "made");
    const told = await http.post("/api/v1/pty/sessions", { cmd: ["sh", "-c", `touch ${made}; exec cat`] });
    expect(told).toMatchObject({ status: 429, body: { error: { code: "ERLIMIT" } } });
    expect(bench.ids).toEqual([]);
    expect((await http.post("/api/v1/session/list", {})).body.data).toMatchObject({ sessions: [] });
  } finally {
    await end(bench);
  }
});
