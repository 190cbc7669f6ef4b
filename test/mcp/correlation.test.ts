/**
 * What MCP refuses by itself (an unknown tool, resource or method) had no correlation id, and what a tool was refused had one that the record of the tool's
 * call in the log did not have.
 */
import { describe, expect, test } from "bun:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { servedThroughout } from "../http/served.ts";
import { layoutAt } from "../../src/transcript/layout.ts";
import { entriesOf, OWN_ID } from "../support/log-entries.ts";
import { AgentClient } from "./agent-client.ts";
import { type Era, ERAS } from "./connect.ts";
import { RawServer } from "./raw-server.ts";

interface RpcError {
  data: { correlation_id: string };
}

const served = servedThroughout();

async function overHttp(era: Era): Promise<Client> {
  const mode = era === "modern" ? { pin: "2026-07-28" } : ("legacy" as const);
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  const requestInit = { headers: { authorization: `Bearer ${served.http.token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${served.http.origin}/mcp`), { requestInit }));
  return client;
}

describe.each(["stdio", "HTTP"])("Over MCP, %s:", (way) => {
  describe.each(ERAS)("%s era:", (era) => {
    async function withClient(work: (client: Client) => Promise<void>): Promise<void> {
      if (way === "stdio") {
        await using agent = await AgentClient.open(era, { bench: served.bench });
        return await work(agent.client);
      }
      const client = await overHttp(era);
      await work(client);
      await client.close();
    }

    test("an error of the protocol has a correlation id, which the log has too", async () => {
      await withClient(async (client) => {
        const refusals = [
          client.callTool({ name: "no_such_tool", arguments: {} }),
          client.readResource({ uri: "holt://sessions/nosuch/output" }),
          client.readResource({ uri: "nothing://at/all" }),
        ];
        for (const refused of await Promise.allSettled(refusals)) {
          const { data } = (refused as PromiseRejectedResult).reason as RpcError;
          expect(data.correlation_id).toMatch(OWN_ID);
          const told = await entriesOf(served.bench, "holt", data.correlation_id);
          expect(told).toMatchObject([{ message: "mcp refused" }]);
        }
      });
    });

    test("a call of a tool that fails has that of its record in the log, and of the calls that it made", async () => {
      await withClient(async (client) => {
        const failed = await client.callTool({ name: "session_get", arguments: { session_id: "nosuch" } });
        const { details } = (failed._meta ?? {})["holt/error"] as { details: { correlation_id: string } };
        const audited = await entriesOf(served.bench, "audit", details.correlation_id);
        expect(audited).toMatchObject([{ method: "session.get", error: "ENOTFOUND" }]);
        const told = await entriesOf(served.bench, "holt", details.correlation_id);
        expect(told).toContainEqual(expect.objectContaining({ message: "mcp call", error: "ENOTFOUND" }));
      });
    });
  });
});

describe("An unknown method", () => {
  test("is refused on stdio with a correlation id, and so is a line that is too long", async () => {
    await using server = new RawServer({ layout: layoutAt(served.bench.state) }, ["mcp"]);
    await server.initialize();
    for (const params of [{}, { filler: "x".repeat(2 * 1024 * 1024) }]) {
      const { error } = await server.answer(await server.request("nothing/here", params));
      const { correlation_id } = (error as RpcError).data;
      expect(await entriesOf(served.bench, "holt", correlation_id)).toMatchObject([{ message: "mcp refused" }]);
    }
  });

  test("is refused over HTTP with the id of the request, which may be the caller's own", async () => {
    const headers = { accept: "application/json, text/event-stream", "x-request-id": "mine-1" };
    for (const message of [{ jsonrpc: "2.0", id: 1, method: "nothing/here" }, { jsonrpc: "2.0", id: 1 }, {}]) {
      const told = await served.http.post("/mcp", message, { headers });
      expect(told.headers.get("x-request-id")).toBe("mine-1");
      expect(told.text).toContain('"correlation_id":"mine-1"');
    }
    const told = await entriesOf(served.bench, "holt", "mine-1");
    expect(told.map(({ message }) => message)).toContain("mcp refused");
  });
});
