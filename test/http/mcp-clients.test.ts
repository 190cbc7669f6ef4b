/**
 * Over HTTP every client with the owner's token was taken for the same one: a session that one had started was typed into and stopped by another, without
 * the takeover that stdio asks for. And a client of the older era could subscribe to nothing, so that it had to poll.
 */
import { describe, expect, test } from "bun:test";
import { type CallToolResult, Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Transport1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { until } from "../chaos/size.ts";
import { type Era, ERAS, textOf } from "../mcp/connect.ts";
import { socketsOf } from "../support/sockets.ts";
import { pageKey, servedThroughout } from "./served.ts";

const served = servedThroughout();
const MODES = { modern: { pin: "2026-07-28" }, legacy: "legacy" } as const;
const SESSION = "mcp-session-id";

function place(token = served.http.token): [URL, { requestInit: RequestInit }] {
  return [new URL(`${served.http.origin}/mcp`), { requestInit: { headers: { authorization: `Bearer ${token}` } } }];
}

async function connected(era: Era): Promise<Client> {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: MODES[era] } });
  await client.connect(new StreamableHTTPClientTransport(...place()));
  return client;
}

async function call(client: Client, name: string, given: Record<string, unknown>): Promise<CallToolResult> {
  return client.callTool({ name, arguments: given });
}

async function started(client: Client): Promise<string> {
  const { structuredContent } = await call(client, "session_start", { argv: ["cat"] });
  return (structuredContent as { session_id: string }).session_id;
}

describe.each(ERAS)("A session that a client of the %s era started over HTTP", (era) => {
  test.each(ERAS)("is acted on by another, of the %s era, only with takeover", async (others) => {
    const [own, other] = [await connected(era), await connected(others)];
    const session_id = await started(own);
    expect((await call(other, "session_get", { session_id })).isError).not.toBe(true);
    for (const [name, given] of [
      ["session_send", { text: "x\r" }],
      ["session_stop", {}],
    ] as const) {
      const refused = await call(other, name, { session_id, ...given });
      expect([name, refused.isError]).toEqual([name, true]);
      expect(textOf(refused)).toStartWith(`EDENIED: session ${session_id} `);
      expect(textOf(refused)).toContain("takeover: true");
    }
    expect((await call(other, "session_send", { session_id, text: "x\r", takeover: true })).isError).not.toBe(true);
    expect((await call(other, "session_stop", { session_id, takeover: true })).isError).not.toBe(true);
    await Promise.all([own.close(), other.close()]);
  });
});

test("A client of the legacy era acts on its own session, from one request to the next, without takeover.", async () => {
  const client = await connected("legacy");
  const session_id = await started(client);
  expect((await call(client, "session_send", { session_id, text: "x\r" })).isError).not.toBe(true);
  expect((await call(client, "session_stop", { session_id })).isError).not.toBe(true);
  await client.close();
});

test("A client of the modern era, which shows no Mcp-Session-Id, learns from the error why its own session needs takeover.", async () => {
  const client = await connected("modern");
  const session_id = await started(client);
  expect(textOf(await call(client, "session_stop", { session_id }))).toBe(
    `EDENIED: session ${session_id} may belong to another client: no Mcp-Session-Id was sent\n` +
      "you may read it; if you started it, or the user asked for it, call again with takeover: true",
  );
  expect((await call(client, "session_stop", { session_id, takeover: true })).isError).not.toBe(true);
  await client.close();
});

const HELLO = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "hand", version: "0" } },
};
const LIST = { jsonrpc: "2.0", id: 2, method: "tools/list" };

/** One request by hand: its status, and the Mcp-Session-Id that it was given. */
async function asked(
  method: string,
  { body, id, token }: { body?: object; id?: string; token?: string },
): Promise<{ status: number; id: string | null; text: string }> {
  const [url, { requestInit }] = place(token);
  const headers = new Headers(requestInit.headers);
  headers.set("accept", "application/json, text/event-stream");
  headers.set("content-type", "application/json");
  if (id !== undefined) headers.set(SESSION, id);
  const leave = new AbortController();
  const response = await fetch(url, {
    method,
    headers,
    signal: leave.signal,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const told = { status: response.status, id: response.headers.get(SESSION) };
  const text = method === "GET" && response.ok ? "" : await response.text();
  leave.abort();
  return { ...told, text };
}

describe("An Mcp-Session-Id", () => {
  test("that was never given out, was given up, or is another key's is 404: the client is to come anew", async () => {
    const { id } = await asked("POST", { body: HELLO });
    if (id === null) throw new Error("no Mcp-Session-Id");
    expect(await asked("POST", { body: LIST, id })).toMatchObject({ status: 200 });
    const other = await pageKey(served);
    const lost = { status: 404, text: expect.stringContaining('"code":-32001,"message":"Session not found"') };
    expect(await asked("POST", { body: LIST, id, token: other.token })).toMatchObject(lost);
    expect(await asked("GET", { id, token: other.token })).toMatchObject(lost);
    expect(await asked("DELETE", { id, token: other.token })).toMatchObject(lost);
    expect(await asked("DELETE", { id })).toMatchObject({ status: 204 });
    for (const gone of [id, "x", "x".repeat(4000), crypto.randomUUID()]) {
      expect(await asked("POST", { body: LIST, id: gone })).toMatchObject(lost);
      expect(await asked("GET", { id: gone })).toMatchObject(lost);
    }
    expect(await asked("POST", { body: LIST })).toMatchObject({ status: 200 });
    expect(await asked("GET", {})).toMatchObject({ status: 405 });
  });

  test("is its key's: it ends when that is taken back", async () => {
    const { token, token_id } = await pageKey(served);
    const { id } = await asked("POST", { body: HELLO, token });
    expect(await asked("GET", { id: id ?? "", token })).toMatchObject({ status: 200 });
    await served.http.post("/api/v1/token/revoke", { token_id });
    expect(await asked("GET", { id: id ?? "", token })).toMatchObject({ status: 401 });
    expect(await asked("GET", { id: id ?? "" })).toMatchObject({ status: 404 });
  });
});

test("A client of the legacy era that subscribes is told of more output, of new sessions and of the end, on its own stream.", async () => {
  const client = new Client1({ name: "test", version: "1" });
  const [updated, lists]: [string[], number[]] = [[], []];
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void updated.push(params.uri));
  client.setNotificationHandler(ResourceListChangedNotificationSchema, () => void lists.push(1));
  await client.connect(new Transport1(...place()));
  expect(client.getServerCapabilities()?.resources).toEqual({ subscribe: true, listChanged: true });
  for (const id of ["heard", "unheard"])
    await served.http.post("/api/v1/session/start", { session_id: id, argv: ["cat"] });
  await until("it is told of new ones", () => lists.length > 0);
  const { pid } = served.bench.meta("heard").holder;
  const idle = socketsOf(pid);
  const uri = "holt://sessions/heard/output";
  await client.subscribeResource({ uri });
  for (const id of ["unheard", "heard"]) await served.http.post(`/api/v1/sessions/${id}/input`, { text: "x\r" });
  await until("it is told of more", () => updated.length > 0);
  expect(new Set(updated)).toEqual(new Set([uri]));
  await client.unsubscribeResource({ uri });
  await until("it is followed no more", () => socketsOf(pid) === idle);
  await client.subscribeResource({ uri });
  await until("it is followed again", () => socketsOf(pid) > idle);
  updated.length = 0;
  await served.http.post("/api/v1/session/kill", { session_id: "heard" });
  await until("it is told of the end", () => updated.length > 0);
  await served.http.post("/api/v1/session/kill", { session_id: "unheard" });
  await client.close();
});

test("What a client subscribed to is let go of when its stream ends, and followed again on the next.", async () => {
  await served.http.post("/api/v1/session/start", { session_id: "kept", argv: ["cat"] });
  const { pid } = served.bench.meta("kept").holder;
  const idle = socketsOf(pid);
  const first = new Transport1(...place());
  const client = new Client1({ name: "test", version: "1" });
  await client.connect(first);
  await client.subscribeResource({ uri: "holt://sessions/kept/output" });
  await until("it is followed", () => socketsOf(pid) > idle);
  const { sessionId = "" } = first;
  await client.close();
  await until("it is followed no more", () => socketsOf(pid) === idle);
  const again = new Transport1(place()[0], { ...place()[1], sessionId });
  const updated: string[] = [];
  const second = new Client1({ name: "test", version: "1" });
  second.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void updated.push(params.uri));
  await second.connect(again);
  await again.resumeStream("", {}).catch(() => {});
  await served.http.post("/api/v1/sessions/kept/input", { text: "x\r" });
  await until("it is told of more", () => updated.length > 0);
  await second.close();
  await served.http.post("/api/v1/session/kill", { session_id: "kept" });
});
