/** What HTTP answers with where something is wrong: the status, and always the error object. */
import { describe, expect, test } from "bun:test";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { MAX_BODY_BYTES } from "../../src/protocol/wire/web.ts";
import type { Told } from "./http-place.ts";
import { servedThroughout } from "./served.ts";

const served = servedThroughout();

const LIST = "/api/v1/session/list";

function expectError(told: Told, status: number, code: string): void {
  expect([told.status, told.body.error?.code]).toEqual([status, code]);
  expect(Object.keys(told.body)).toEqual(["apiVersion", "error"]);
  expect(Object.keys(told.body.error ?? {})).toEqual(["code", "message", "details", "hint"]);
  expect(told.headers.get("content-type")).toBe("application/json; charset=utf-8");
  expectSafe(told);
}

function expectSafe({ headers }: Told): void {
  expect(Object.fromEntries(headers)).toMatchObject({
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "content-security-policy": expect.stringContaining("default-src 'none'"),
  });
}

describe("A call is answered with", () => {
  test("200 and the result in the envelope", async () => {
    const told = await served.http.post(LIST, {});
    expect(told.status).toBe(200);
    expect(told.body).toEqual({ apiVersion: "1.0", data: { sessions: [], total_count: 0 } });
    expectSafe(told);
  });

  test("200 without any body, where every parameter may be left out", async () => {
    expect(await served.http.ask(LIST, { method: "POST" })).toMatchObject({
      status: 200,
      body: { data: { sessions: [] } },
    });
  });

  test.each([
    ["a parameter that there is not", JSON.stringify({ nonsense: 1 })],
    ["no JSON", "{"],
    ["JSON that is no object", "[]"],
    ["a number", "1"],
    ["null", "null"],
  ])("400 where the body is %s", async (_what, body) => {
    const headers = { "content-type": "application/json" };
    expectError(await served.http.ask(LIST, { method: "POST", headers, body }), 400, "EBADARGS");
  });

  test("400 where the body is no UTF-8", async () => {
    const headers = { "content-type": "application/json" };
    const body = Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d);
    expectError(await served.http.ask(LIST, { method: "POST", headers, body }), 400, "EBADARGS");
  });

  test("401 without a token, and how to show one", async () => {
    const told = await served.http.ask(LIST, { method: "POST", token: null });
    expectError(told, 401, "EUNAUTHORIZED");
    expect(told.headers.get("www-authenticate")).toBe('Bearer realm="holt"');
  });

  test.each(["wrong", "x".repeat(1000)])("401 with a token that opens nothing", async (token) => {
    expectError(await served.http.ask(LIST, { method: "POST", token }), 401, "EUNAUTHORIZED");
  });

  test("401, not 404, where there is nothing: who has no key learns nothing", async () => {
    expectError(await served.http.ask("/api/v1/nothing", { token: null }), 401, "EUNAUTHORIZED");
  });

  test("403 to another host, and to a page of another origin", async () => {
    expectError(await served.http.post(LIST, {}, { headers: { host: "evil.example" } }), 403, "EDENIED");
    expectError(await served.http.post(LIST, {}, { headers: { origin: "https://evil.example" } }), 403, "EDENIED");
  });

  test("403 where a session's key does not reach", async () => {
    const { body } = await served.http.post("/api/v1/pty/sessions", { cmd: ["sleep", "60"] });
    const { token } = body.data as { token: string };
    for (const path of [LIST, "/api/v1/web/stop", "/api/v1/daemon/shutdown"])
      expectError(await served.http.post(path, {}, { token }), 403, "EDENIED");
    expectError(await served.http.ask("/metrics", { token }), 403, "EDENIED");
    await served.http.ask(`/api/v1/pty/sessions/${body.data.id}`, { method: "DELETE" });
  });

  test("404 where there is nothing, and the nearest is named", async () => {
    expectError(await served.http.ask("/api/v1/nothing"), 404, "ENOTFOUND");
    expectError(await served.http.ask("/nothing"), 404, "ENOTFOUND");
    const told = await served.http.post("/api/v1/session/lst", {});
    expectError(told, 404, "ENOTFOUND");
    expect(told.body.error?.hint).toBe("did you mean POST /api/v1/session/list?");
    expectError(await served.http.post("/api/v1/__proto__/constructor", {}), 404, "ENOTFOUND");
    expectError(await served.http.post("/api/v1/pty/sessions/%zz/attach/more", {}), 404, "ENOTFOUND");
  });

  test("404 where there is no such session", async () => {
    const told = await served.http.post("/api/v1/session/get", { session_id: "nosuch" });
    expectError(told, 404, "ENOTFOUND");
    expect(told.body.error?.message).toBe("session not found: nosuch");
  });

  test("405 and what it takes, where the method is another", async () => {
    const wrong: [string, string, string][] = [
      ["GET", LIST, "POST"],
      ["PUT", "/api/v1/pty/sessions", "POST, GET"],
      ["PATCH", "/api/v1/pty/sessions/x", "GET, DELETE"],
      ["GET", "/api/v1/sessions/x/input", "POST"],
      ["POST", "/api/v1/openapi.json", "GET"],
      ["POST", "/metrics", "GET"],
      ["POST", "/healthz", "GET"],
      ["GET", "/api/v1/web/session", "POST"],
      ["POST", "/", "GET"],
      ["POST", "/api/v1/rpc", "GET"],
    ];
    for (const [method, path, allow] of wrong) {
      const told = await served.http.ask(path, { method });
      expect([path, told.status, told.headers.get("allow")]).toEqual([path, 405, allow]);
      expect(told.body.error?.code).toBe("EBADARGS");
    }
  });

  test("HEAD as GET, without what GET brings", async () => {
    for (const path of ["/", "/healthz", "/metrics", "/api/v1/openapi.json"])
      expect(await served.http.ask(path, { method: "HEAD" })).toMatchObject({ status: 200, text: "" });
  });

  test("409 where the session has ended, and where there is one of that id", async () => {
    const start = { session_id: "over", argv: ["true"] };
    expect((await served.http.post("/api/v1/session/start", start)).status).toBe(200);
    await served.http.post("/api/v1/session/wait", { session_id: "over", until: ["exit"] });
    expectError(await served.http.post("/api/v1/session/start", start), 409, "EEXISTS");
    expectError(await served.http.post("/api/v1/sessions/over/input", { text: "x" }), 409, "ESESSIONCLOSED");
  });

  test("413 to more than it takes, told by its length or not", async () => {
    const text = "x".repeat(MAX_BODY_BYTES);
    const told = await served.http.post(LIST, { text });
    expectError(told, 413, "ERLIMIT");
    expect(told.body.error?.details).toEqual({ max_bytes: MAX_BODY_BYTES });
    const body = new ReadableStream({
      start(controller) {
        for (let sent = 0; sent <= MAX_BODY_BYTES; sent += 1024 * 1024) controller.enqueue(new Uint8Array(1024 * 1024));
        controller.close();
      },
    });
    const headers = { "content-type": "application/json" };
    expectError(await served.http.ask(LIST, { method: "POST", headers, body }), 413, "ERLIMIT");
    expect(await served.http.post(LIST, { text: "x".repeat(3 * MAX_BODY_BYTES) })).toMatchObject({ status: 413 });
    expect((await served.http.post(LIST, {})).status).toBe(200);
  });

  test.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])(
    "415 to a body of type %p, as a form of any page could send it",
    async (type) => {
      const headers: Record<string, string> = type === "" ? {} : { "content-type": type };
      const body = new TextEncoder().encode("{}"); // bytes: no type of their own
      expectError(await served.http.ask(LIST, { method: "POST", headers, body }), 415, "EBADARGS");
    },
  );

  test("426 where only a WebSocket makes sense", async () => {
    for (const path of ["/api/v1/rpc", "/api/v1/sessions/x/stream", "/api/v1/pty/sessions/x/attach"]) {
      const told = await served.http.ask(path);
      expectError(told, 426, "EBADARGS");
      expect(told.headers.get("upgrade")).toBe("websocket");
    }
  });

  test("403 where the state directory is not what it should be, and 500 where a holder cannot be reached", async () => {
    const [own, away] = [join(served.bench.state, "sessions"), join(served.bench.state, "away")];
    const lost = { session_id: "lost", argv: ["sleep", "60"], pty: false };
    await served.http.post("/api/v1/session/start", lost);
    renameSync(own, away);
    writeFileSync(own, ""); // where there is nothing at all, it is made
    const told = await served.http.post("/api/v1/session/start", { argv: ["true"] });
    rmSync(own);
    renameSync(away, own);
    expectError(told, 403, "EDENIED");
    const { socket } = served.bench.meta("lost");
    renameSync(socket ?? "", `${socket}.away`);
    writeFileSync(socket ?? "", ""); // where there is nothing at all, its holder is asked for it
    const resize = { session_id: "lost", cols: 1, rows: 1 };
    expectError(await served.http.post("/api/v1/session/resize", resize), 500, "EIO");
    renameSync(`${socket}.away`, socket ?? "");
    await served.http.post("/api/v1/session/kill", { session_id: "lost" });
    await served.http.post("/api/v1/session/remove", { session_id: "lost" });
  });

  test("503 and when to come again, where it cannot be done now", async () => {
    const start = { session_id: "busy", argv: ["sleep", "60"] };
    await served.http.post("/api/v1/session/start", start);
    const told = await served.http.post("/api/v1/session/remove", { session_id: "busy" });
    expectError(told, 503, "EBUSY");
    expect(told.headers.get("retry-after")).toBe("1");
    await served.http.post("/api/v1/session/kill", { session_id: "busy" });
  });
});

test("What is no HTTP is answered by nobody, and harms nobody.", async () => {
  const { hostname, port } = new URL(served.http.origin);
  const heard = await new Promise<string>((resolve, reject) => {
    let text = "";
    const socket = connect(Number(port), hostname, () => socket.end("\0\u0001nonsense\r\n\r\n"));
    socket.on("data", (bytes) => (text += bytes.toString("latin1")));
    socket.on("close", () => resolve(text));
    socket.on("error", reject);
  });
  expect(heard).not.toContain("200");
  expect((await served.http.post(LIST, {})).status).toBe(200);
});

test("/healthz says to anybody on the machine that it is there, and no more.", async () => {
  const told = await served.http.ask("/healthz", { token: null });
  expect(told).toMatchObject({ status: 200, body: { apiVersion: "1.0", data: { status: "ok" } } });
  expect(Object.keys(told.body.data as object)).toEqual(["status"]);
  expectSafe(told);
});

describe("What is told as it happens", () => {
  test.each(["subscribe", "unsubscribe"])(
    "needs a connection: session.%s is refused with where to find one",
    async (verb) => {
      const told = await served.http.post(`/api/v1/session/${verb}`, {});
      expectError(told, 400, "EBADARGS");
      expect(told.body.error?.hint).toBe("open a WebSocket at /api/v1/rpc, or at /api/v1/sessions/ID/stream");
    },
  );

  test("comes over /api/v1/rpc: what a session prints, and its end", async () => {
    const socket = served.http.socket("/api/v1/rpc");
    const messages: Record<string, unknown>[] = [];
    const { promise: over, resolve, reject } = Promise.withResolvers<void>();
    const params = { session_id: "told", argv: ["sh", "-c", "read x; echo got $x; exit 3"] };
    const ask = (id: number, method: string, asked: object): void =>
      socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params: asked }));
    socket.addEventListener("open", () => ask(1, "session.start", params));
    socket.addEventListener("error", () => reject(new Error("no connection")));
    socket.addEventListener("message", ({ data }) => {
      const message = JSON.parse(String(data)) as Record<string, unknown>;
      messages.push(message);
      if (message["id"] === 1) ask(2, "session.subscribe", { session_id: "told", cursor: "0" });
      if (message["id"] === 2) ask(3, "session.send", { session_id: "told", text: "it\r" });
      if (message["method"] === "session.exited") resolve();
    });
    await over;
    const output = messages.flatMap((message) => {
      const { data } = (message["params"] ?? {}) as { data?: string };
      return message["method"] === "session.output" ? [Buffer.from(data ?? "", "base64").toString()] : [];
    });
    expect(output.join("")).toContain("got it\r\n");
    expect(messages.find(({ method }) => method === "session.exited")).toMatchObject({
      params: { session_id: "told", exit_code: 3 },
    });
    const { promise: answered, resolve: unsubscribed } = Promise.withResolvers<unknown>();
    socket.addEventListener("message", ({ data }) => unsubscribed(JSON.parse(String(data))));
    const { result } = messages.find(({ id }) => id === 2) as { result: { subscription_id: string } };
    ask(4, "session.unsubscribe", { subscription_id: result.subscription_id });
    expect(await answered).toMatchObject({ id: 4, result: {} });
    socket.close();
  });
});
