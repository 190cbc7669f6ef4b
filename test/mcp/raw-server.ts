/** The server without a client: bytes in, lines out. */
import type { StateDir } from "../client/sessions.ts";
import { environment, HOLT } from "./connect.ts";

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};

export class RawServer implements AsyncDisposable {
  readonly #process;
  readonly #lines: AsyncIterator<string>;
  #id = 0;

  constructor(state: Pick<StateDir, "layout">, args: string[] = ["mcp", "--tools", "derun"]) {
    this.#process = Bun.spawn([...HOLT, ...args], {
      env: environment(state),
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
    });
    this.#lines = lines(this.#process.stdout);
  }

  get pid(): number {
    return this.#process.pid;
  }

  async write(bytes: string | Uint8Array): Promise<void> {
    void this.#process.stdin.write(bytes);
    await this.#process.stdin.flush();
  }

  async initialize(): Promise<void> {
    await this.write(`${JSON.stringify(INITIALIZE)}\n`);
    await this.answer(0);
    await this.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  }

  /** Sends a request and returns its id. */
  async request(method: string, params: Record<string, unknown> = {}): Promise<number> {
    const id = ++this.#id;
    await this.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return id;
  }

  /** The answer to a request; lines before it are passed over. */
  async answer(id: number): Promise<Record<string, unknown>> {
    for (;;) {
      const { value, done } = await this.#lines.next();
      if (done === true) throw new Error("the server ended its output");
      const message = JSON.parse(value) as Record<string, unknown>;
      if (message["id"] === id) return message;
    }
  }

  async call(name: string, args: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    const { result } = await this.answer(await this.request("tools/call", { name: `derun_${name}`, arguments: args }));
    return result as Record<string, unknown>;
  }

  closeInput(): void {
    void this.#process.stdin.end();
  }

  kill(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  async ended(): Promise<{ exitCode: number | null; signal: string | number | null; stderr: string }> {
    const stderr = await new Response(this.#process.stderr).text();
    await this.#process.exited;
    return { exitCode: this.#process.exitCode, signal: this.#process.signalCode, stderr };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.#process.exited;
    await this.#lines.return?.();
  }
}

async function* lines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = parts.pop() ?? "";
    yield* parts;
  }
}
