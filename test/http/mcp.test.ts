/** MCP at /mcp, both eras, by the SDK's own client over Streamable HTTP. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type CallToolResult, Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { isAlive } from "../chaos/processes.ts";
import { until } from "../chaos/size.ts";
import { failure } from "../client/failure.ts";
import { AgentClient } from "../mcp/agent-client.ts";
import { type Era, ERAS, textOf } from "../mcp/connect.ts";
import { servedThroughout } from "./served.ts";

const MODES = { modern: { pin: "2026-07-28" }, legacy: "legacy" } as const;

const served = servedThroughout();

interface Connecting {
  token?: string;
  headers?: Record<string, string>;
  query?: string;
}

async function connected(
  era: Era,
  { token = served.http.token, headers = {}, query = "" }: Connecting = {},
): Promise<Client> {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: MODES[era] } });
  const requestInit = { headers: { authorization: `Bearer ${token}`, ...headers } };
  const url = new URL(`${served.http.origin}/mcp${query}`);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  return client;
}

function structured({ structuredContent }: CallToolResult): Record<string, unknown> {
  return structuredContent as Record<string, unknown>;
}

describe.each(ERAS)("Over HTTP, %s era:", (era) => {
  let client: Client;
  beforeAll(async () => {
    client = await connected(era);
    await client.listTools(); // with the tools known, each answer is checked against its schema
  });
  afterAll(() => client.close());

  test("the tools, their schemas and the instructions are those on stdin and stdout", async () => {
    await using stdio = await AgentClient.open(era, { bench: served.bench });
    expect(await client.listTools()).toEqual(await stdio.client.listTools());
    expect(client.getInstructions()).toBe(stdio.client.getInstructions() ?? "");
    expect(client.getServerCapabilities()).toEqual(stdio.client.getServerCapabilities());
  });

  test("?tools= names another set of them", async () => {
    const other = await connected(era, { query: "?tools=terminal" });
    const { tools } = await other.listTools();
    expect(tools.map(({ name }) => name)).toContain("pty_open");
    await other.close();
    expect(await served.http.post("/mcp?tools=nonsense", {})).toMatchObject({
      status: 400,
      body: { error: { code: "EBADARGS", message: 'unknown toolset: "nonsense"' } },
    });
  });

  test("a command is run, and its result is the answer; what fails says so", async () => {
    const ran = await client.callTool({ name: "exec_run", arguments: { command: "echo hi; exit 3" } });
    expect(ran.isError).not.toBe(true);
    expect(structured(ran)).toMatchObject({ exit_code: 3 });
    expect(textOf(ran)).toContain("hi");
    const failed = await client.callTool({ name: "session_get", arguments: { session_id: "nosuch" } });
    expect(failed.isError).toBe(true);
    expect(textOf(failed)).toContain("session not found: nosuch");
  });

  test("other names of the tools are taken", async () => {
    const ran = await client.callTool({ name: "execute", arguments: { command: "echo by another name" } });
    expect(textOf(ran)).toContain("by another name");
  });

  async function started(...argv: string[]): Promise<string> {
    const told = await client.callTool({ name: "session_start", arguments: { argv } });
    return String(structured(told)["session_id"]);
  }

  /** Where the command of that name runs. */
  async function running(name: string): Promise<number> {
    const { bench } = served;
    const find = () => bench.started().find((id) => bench.meta(id).name === name && bench.meta(id).process !== null);
    await until("it runs", () => find() !== undefined);
    const { process: command } = bench.meta(find());
    expect(isAlive(command?.pid ?? 0)).toBe(true);
    return command?.pid ?? 0;
  }

  /** In the older era that is said in another request, which had no way to the call. */
  test("a call that is canceled takes its command along", async () => {
    const abort = new AbortController();
    const name = `canceled-${era}`;
    const call = client.callTool(
      { name: "exec_run", arguments: { args: ["sleep", "600"], name } },
      { signal: abort.signal },
    );
    const refused = failure(call);
    // Another client's calls have the same numbers, and are others.
    const bystander = await connected(era);
    await bystander.listTools();
    const mark = `bystander-${era}`;
    const other = failure(bystander.callTool({ name: "exec_run", arguments: { args: ["sleep", "600"], name: mark } }));
    await running(mark);
    const pid = await running(name);
    abort.abort();
    await refused;
    await until("its command has ended", () => !isAlive(pid));
    expect(isAlive(await running(mark))).toBe(true);
    await bystander.close();
    await other;
  });

  test("a client that is gone takes its command along", async () => {
    const other = await connected(era);
    const name = `gone-${era}`;
    const refused = failure(other.callTool({ name: "exec_run", arguments: { args: ["sleep", "600"], name } }));
    const pid = await running(name);
    await other.close();
    await refused;
    await until("its command has ended", () => !isAlive(pid));
  });

  test("sessions are resources", async () => {
    const session_id = await started("sh", "-c", "echo ready; cat");
    await served.http.post("/api/v1/session/wait", { session_id, cursor: "0", until: [{ match: "ready" }] });
    const uri = `holt://sessions/${session_id}/output`;
    expect((await client.listResources()).resources.map((each) => each.uri)).toContain(uri);
    expect(await client.readResource({ uri })).toMatchObject({ contents: [{ uri, text: "ready\n" }] });
    await served.http.post("/api/v1/session/kill", { session_id });
  });
});

test("A long call tells how it gets on, in both eras.", async () => {
  await Promise.all(
    ERAS.map(async (era) => {
      const client = await connected(era);
      const start = await client.callTool({ name: "session_start", arguments: { argv: ["cat"] } });
      const { session_id } = structured(start);
      const told: number[] = [];
      const waiting = client.callTool(
        { name: "session_wait", arguments: { session_id, until: [{ match: "never" }], timeout_ms: 60_000 } },
        { onprogress: ({ progress }) => void told.push(progress), timeout: 90_000 },
      );
      await until("it has told something", () => told.length > 0);
      await served.http.post("/api/v1/session/kill", { session_id });
      expect(structured(await waiting)).toMatchObject({ outcome: "exited" });
      expect(told).toEqual(told.toSorted((a, b) => a - b));
      await client.close();
    }),
  );
});

test("Who listens (subscriptions/listen) is told of more of that session, of its end, and of new ones.", async () => {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: MODES.modern } });
  const [updated, lists]: [string[], number[]] = [[], []];
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => void updated.push(params.uri));
  client.setNotificationHandler("notifications/resources/list_changed", () => void lists.push(1));
  const requestInit = { headers: { authorization: `Bearer ${served.http.token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${served.http.origin}/mcp`), { requestInit }));
  for (const id of ["watched", "other"])
    await served.http.post("/api/v1/session/start", { session_id: id, argv: ["cat"] });
  const uri = "holt://sessions/watched/output";
  await client.listen({ resourceSubscriptions: [uri], resourcesListChanged: true });
  for (const id of ["other", "watched"]) await served.http.post(`/api/v1/sessions/${id}/input`, { text: "x\r" });
  await until("it is told", () => updated.length > 0);
  expect(new Set(updated)).toEqual(new Set([uri]));
  await served.http.post("/api/v1/session/start", { session_id: "third", argv: ["true"] });
  await until("it is told of a new one", () => lists.length > 0);
  updated.length = 0;
  await served.http.post("/api/v1/session/kill", { session_id: "watched" });
  await until("it is told of the end", () => updated.length > 0);
  await client.close();
});

describe("Nobody else gets in:", () => {
  const hello = {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "hand", version: "0" } },
  };
  const accept = { accept: "application/json, text/event-stream" };

  test("no token, or a wrong one, is 401 in both eras", async () => {
    expect(await served.http.post("/mcp", hello, { token: null, headers: accept })).toMatchObject({ status: 401 });
    expect(await served.http.post("/mcp", hello, { token: "wrong", headers: accept })).toMatchObject({ status: 401 });
    for (const era of ERAS) expect(await failure(connected(era, { token: "wrong" }))).toMatchObject({ status: 401 });
  });

  test("another Host or Origin is 403", async () => {
    const foreign: Record<string, string>[] = [{ host: "evil.example" }, { origin: "https://evil.example" }];
    for (const headers of foreign)
      expect(await served.http.post("/mcp", hello, { headers: { ...accept, ...headers } })).toMatchObject({
        status: 403,
        body: { error: { code: "EDENIED" } },
      });
  });

  test("a session's token is 403: tools are the owner's", async () => {
    const { body } = await served.http.post("/api/v1/pty/sessions", { cmd: ["cat"] });
    const { id, token } = body.data as { id: string; token: string };
    expect(await served.http.post("/mcp", hello, { token, headers: accept })).toMatchObject({
      status: 403,
      body: { error: { code: "EDENIED", message: "MCP needs the owner's token" } },
    });
    await served.http.ask(`/api/v1/pty/sessions/${id}`, { method: "DELETE" });
  });

  test("what is no message is refused, and harms nobody", async () => {
    const json = { "content-type": "application/json", ...accept };
    for (const body of ["", "{", "[]", "1", '{"jsonrpc":"2.0"}', '{"jsonrpc":"1.0","id":1,"method":"x"}']) {
      const { status } = await served.http.ask("/mcp", { method: "POST", headers: json, body });
      expect([body, status >= 400 && status < 500]).toEqual([body, true]);
    }
    expect(await served.http.post("/mcp", hello, { headers: accept })).toMatchObject({ status: 200 });
  });
});
