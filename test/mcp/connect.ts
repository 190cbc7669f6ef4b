/** The real server in a process of its own, spoken to by the SDK's client. */
import { join } from "node:path";
import { type CallToolResult, Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { StateDir } from "../client/sessions.ts";

export const ERAS = ["modern", "legacy"] as const;
export type Era = (typeof ERAS)[number];

const MODES = { modern: { pin: "2026-07-28" }, legacy: "legacy" } as const;

export const HOLT: [string, ...string[]] = process.env["HOLT_BIN"]
  ? [process.env["HOLT_BIN"]]
  : [process.execPath, join(import.meta.dir, "../../src/main.ts")];

export function environment(state: Pick<StateDir, "layout">): Record<string, string> {
  return { ...(process.env as Record<string, string>), HOLT_STATE_DIR: state.layout.root };
}

export class Connection implements AsyncDisposable {
  readonly client: Client;
  readonly #transport: StdioClientTransport;

  private constructor(client: Client, transport: StdioClientTransport) {
    this.client = client;
    this.#transport = transport;
  }

  static async open(state: StateDir, era: Era): Promise<Connection> {
    const [command, ...args] = HOLT;
    const transport = new StdioClientTransport({
      command,
      args: [...args, "mcp", "--tools", "derun"],
      env: environment(state),
    });
    const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: MODES[era] } });
    await client.connect(transport);
    // With the tools known, the client checks each answer against its output schema.
    await client.listTools();
    return new Connection(client, transport);
  }

  get pid(): number {
    return this.#transport.pid ?? -1;
  }

  async call(name: string, args: Record<string, unknown> = {}, signal?: AbortSignal): Promise<CallToolResult> {
    const options = { timeout: 90_000, ...(signal === undefined ? {} : { signal }) };
    return await this.client.callTool({ name: `derun_${name}`, arguments: args }, options);
  }

  /** The structured answer of a call that must succeed. */
  async ask(name: string, args: Record<string, unknown> = {}, signal?: AbortSignal): Promise<Answer> {
    const result = await this.call(name, args, signal);
    if (result.isError === true) throw new Error(textOf(result));
    return result.structuredContent as Answer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close();
  }
}

/** Everything any of the four tools may answer. */
export interface Answer {
  schema_version: string;
  sessions: Record<string, unknown>[];
  session: Record<string, unknown>;
  total_count: number;
  chunks: { channel: string; offset: string; length: number; timestamp: string; data: string }[];
  next_cursor: string;
  eof: boolean;
  truncated: boolean;
  outcome: string;
  timed_out: boolean;
  waited_ms: number;
}

export function bytesOf({ chunks }: Answer): Buffer {
  return Buffer.concat(chunks.map(({ data }) => Buffer.from(data, "base64")));
}

/** What an error result says, in the form that the seed of derun wants. */
export function errorOf(result: CallToolResult): { code: string; message: string; hint: string | null } {
  return (JSON.parse(textOf(result)) as { error: { code: string; message: string; hint: string | null } }).error;
}

export function textOf({ content }: CallToolResult): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("\n---\n");
}
