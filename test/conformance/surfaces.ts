/** The ways to call a method: each gives the same answer in its own form. */
import { homedir } from "node:os";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client } from "@modelcontextprotocol/client";
import { HoltError } from "../../src/protocol/errors.ts";
import { type Method, TABLE } from "../../src/protocol/table.schema.ts";
import { RawCaller, request } from "../daemon/raw-caller.ts";
import { HOLT } from "../mcp/connect.ts";
import type { Answer } from "./answer.ts";
import type { Household } from "./household.ts";

export interface Surface extends AsyncDisposable {
  call(method: string, params: object): Promise<Answer>;
}

type ErrorObject = Extract<Answer, { error: object }>["error"];

export const SURFACES: Record<string, (household: Household) => Promise<Surface>> = {
  "JSON-RPC": async (household) => ({
    async call(method, params) {
      using caller = await RawCaller.dial(household.bench);
      await caller.write(request(1, method, params));
      const answer = (await caller.next()) as {
        result?: Record<string, unknown>;
        error?: { message: string; data: object };
      };
      if (answer.error === undefined) return { result: answer.result ?? {} };
      return { error: { ...(answer.error.data as Omit<ErrorObject, "message">), message: answer.error.message } };
    },
    async [Symbol.asyncDispose]() {},
  }),

  client: async (household) => ({
    async call(method, params) {
      using client = await household.dial();
      try {
        return { result: await client.call(method as Method, params) };
      } catch (error) {
        if (!(error instanceof HoltError)) throw error;
        const { code, message, details, hint } = error;
        return { error: { code, message, details, hint } };
      }
    },
    async [Symbol.asyncDispose]() {},
  }),

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
        const takeover = TABLE.get(method)?.actsOn === undefined ? {} : { takeover: true }; // the household started them
        const result = await client.callTool({ name, arguments: { ...params, ...takeover } }, { timeout: 90_000 });
        const structured = result.structuredContent as Record<string, unknown>;
        return result.isError === true ? (structured as Answer) : { result: structured };
      },
      async [Symbol.asyncDispose]() {
        await client.close();
      },
    };
  },
};
