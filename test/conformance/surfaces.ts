/** The ways to call a method: each gives the same answer in its own form. */
import { expect } from "bun:test";
import { homedir } from "node:os";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client } from "@modelcontextprotocol/client";
import { ERROR_CODES, type ErrorCode, HoltError } from "../../src/protocol/types/errors.ts";
import { type Method, TABLE } from "../../src/protocol/methods/table.schema.ts";
import { KEY_METHODS } from "../../src/surfaces/mcp/toolsets/rows-toolset.ts";
import { RawCaller, request } from "../daemon/raw-caller.ts";
import { HttpPlace } from "../http/http-place.ts";
import { HOLT } from "../mcp/connect.ts";
import { daemonSocketPath, layoutAt } from "../../src/transcript/layout.ts";
import type * as Library from "../../src/library/index.ts";
import type { Answer } from "./answer.ts";
import type { Household } from "./household.ts";

export interface Surface extends AsyncDisposable {
  call(method: string, params: object): Promise<Answer>;
}

type ErrorObject = Extract<Answer, { error: object }>["error"];
type RpcData = Omit<ErrorObject, "message"> & { correlation_id: string };
type RpcAnswer = { result?: Record<string, unknown>; error?: { message: string; data: RpcData } };

export const SURFACES: Record<string, (household: Household) => Promise<Surface>> = {
  "JSON-RPC": async (household) => ({
    async call(method, params) {
      using caller = await RawCaller.dial(household.bench);
      await caller.write(request(1, method, params));
      return rpcAnswer((await caller.next()) as RpcAnswer);
    },
    async [Symbol.asyncDispose]() {},
  }),

  client: async (household) => ({
    async call(method, params) {
      using client = await household.dial();
      return await answerOf(client.call(method as Method, params)); // before it is closed
    },
    async [Symbol.asyncDispose]() {},
  }),

  "holt/client": async (household) => {
    const { HoltClient } = (await import(new URL("../../dist/client.js", import.meta.url).pathname)) as typeof Library;
    const socket = daemonSocketPath(layoutAt(household.bench.state));
    return {
      async call(method, params) {
        await using client = new HoltClient({ socket });
        return await answerOf(client.call(method as Method, params));
      },
      async [Symbol.asyncDispose]() {},
    };
  },

  "holt call": async (household) => ({
    async call(method, params) {
      const { text, exitCode, stderr } = await household.bench.run(["call", method, JSON.stringify(params)]);
      if (stderr !== "") throw new Error(stderr);
      const printed = JSON.parse(text) as Record<string, unknown>;
      if ((exitCode === 0) === ("error" in printed && exitCode === 1)) throw new Error(`exit ${exitCode}: ${text}`);
      return exitCode === 0 ? { result: printed } : (printed as Answer);
    },
    async [Symbol.asyncDispose]() {},
  }),

  HTTP: async (household) => ({
    async call(method, params) {
      const http = await HttpPlace.of(household.bench); // on again, whatever the last call did
      const { status, body } = await http.post(`/api/v1/${method.replace(".", "/")}`, params);
      expect(body).toMatchObject({ apiVersion: "1.0" });
      if (body.error === undefined) {
        expect(Object.keys(body)).toEqual(["apiVersion", "data"]);
        expect(status).toBe(200);
        return { result: body.data };
      }
      expect(Object.keys(body)).toEqual(["apiVersion", "error"]);
      expect(status).toBe(ERROR_CODES[body.error.code as ErrorCode].http);
      return { error: body.error };
    },
    async [Symbol.asyncDispose]() {},
  }),

  MCP: async (household) => {
    const [command, ...args] = HOLT;
    const env = { ...(process.env as Record<string, string>), HOLT_STATE_DIR: household.bench.state };
    const cwd = homedir(); // where a command runs that is told of no directory, on every other surface
    const transport = new StdioClientTransport({ command, args: [...args, "mcp", "--tools", "all"], env, cwd });
    const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
    await client.connect(transport);
    await client.listTools(); // with the tools known, each answer is checked against its schema
    return {
      async call(method, params) {
        const name = method.replace(".", "_");
        const acts = TABLE.get(method)?.sessionParam !== undefined || KEY_METHODS.has(method);
        const takeover = acts ? { takeover: true } : {}; // the household started them
        const result = await client.callTool({ name, arguments: { ...params, ...takeover } }, { timeout: 90_000 });
        if (result.isError !== true) return { result: result.structuredContent as Record<string, unknown> };
        return { error: result._meta?.["holt/error"] as ErrorObject };
      },
      async [Symbol.asyncDispose]() {
        await client.close();
      },
    };
  },
};

function rpcAnswer({ result, error }: RpcAnswer): Answer {
  if (error === undefined) return { result: result ?? {} };
  const { correlation_id, details, ...data } = error.data;
  return { error: { ...data, message: error.message, details: { ...details, correlation_id } } };
}

/** Of a client that throws what it is refused with; each has an error class of its own. */
async function answerOf(called: Promise<unknown>): Promise<Answer> {
  try {
    return { result: (await called) as Record<string, unknown> };
  } catch (error) {
    if ((error as Error).name !== HoltError.name) throw error;
    const { code, message, details, hint } = error as HoltError;
    return { error: { code, message, details, hint } };
  }
}
