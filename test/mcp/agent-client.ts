/** An agent's host: `holt mcp` in a process of its own, with a daemon of the test's own behind it. */
import { type CallToolResult, Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { end } from "../daemon/household.ts";
import { Bench } from "../support/holt.ts";
import { type Era, HOLT } from "./connect.ts";

export class AgentClient implements AsyncDisposable {
  readonly client: Client;
  readonly bench: Bench;
  readonly #ownsBench: boolean;

  private constructor(client: Client, bench: Bench, ownsBench: boolean) {
    this.client = client;
    this.bench = bench;
    this.#ownsBench = ownsBench;
  }

  static async open(
    era: Era,
    { bench = null, tools = "agent", cwd = null }: { bench?: Bench | null; tools?: string; cwd?: string | null } = {},
  ): Promise<AgentClient> {
    const own = bench ?? Bench.withDaemon();
    const [command, ...args] = HOLT;
    const transport = new StdioClientTransport({
      command,
      args: [...args, "mcp", "--tools", tools],
      env: own.env,
      ...(cwd === null ? {} : { cwd }),
    });
    const mode = era === "modern" ? { pin: "2026-07-28" } : ("legacy" as const);
    const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
    await client.connect(transport);
    await client.listTools(); // with the tools known, each answer is checked against its schema
    return new AgentClient(client, own, bench === null);
  }

  async call(name: string, args: Record<string, unknown> = {}, signal?: AbortSignal): Promise<CallToolResult> {
    return this.client.callTool(
      { name, arguments: args },
      { timeout: 90_000, ...(signal === undefined ? {} : { signal }) },
    );
  }

  /** What it answers as an object; an error fails. */
  async ask(name: string, args: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    const result = await this.call(name, args);
    if (result.isError === true) throw new Error(textOf(result));
    return result.structuredContent as Record<string, unknown>;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close();
    if (!this.#ownsBench) return;
    await end(this.bench);
    this.bench[Symbol.dispose]();
  }
}

/** All its texts. */
export function textOf({ content }: CallToolResult): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}
