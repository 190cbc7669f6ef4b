/** What MCP adds to a call: a tool of `holt mcp` against the method behind it on the daemon's socket. The client of both reads and writes lines and nothing else. */
import { median, quantile, rounds } from "./measure.ts";
import { Stage } from "./stage.ts";
import { ms, type Section } from "./table.ts";

const TURNS = 300;
const RUNS = 40;
/** Until the pool of warm holders is full again. */
const REST_MS = 150;

type Call = () => Promise<unknown>;

export async function mcpCalls(holt: string): Promise<Section[]> {
  await using stage = new Stage(holt);
  await stage.daemon();
  using client = await stage.client();
  await using mcp = await StdioTools.start([holt, "mcp"], stage);
  const { session_id } = await client.call("exec.run", { args: ["echo", "hello"], cwd: stage.cwd });
  const { cwd } = stage;
  const command = { args: ["true"], cwd };
  const run: [Call, Call] = [() => mcp.call("exec_run", command), () => client.call("exec.run", command)];
  const rows = [
    await row("`session_get`, `session.get`", TURNS, 0, [
      () => mcp.call("session_get", { session_id }),
      () => client.call("session.get", { session_id }),
    ]),
    await row("`session_read`, `session.read` of a line of text", TURNS, 0, [
      () => mcp.call("session_read", { session_id }),
      () => client.call("session.read", { session_id, view: "text" }),
    ]),
    await row("`exec_run`, `exec.run` of `true`, in a row", TURNS, 0, run),
    await row("`exec_run`, `exec.run` of `true`, with rests", RUNS, REST_MS, run),
  ];
  return [
    {
      title: "What MCP adds to a call",
      about: `A tool of \`holt mcp\` on its stdin and stdout, and the same method on the daemon's socket, in turns: one process, a check of the arguments, the readable text and two hops more.`,
      head: ["", "MCP, p50", "socket, p50", "MCP adds", "MCP, p99", "socket, p99"],
      rows,
    },
  ];
}

async function row(name: string, usual: number, restMs: number, calls: [tool: Call, method: Call]): Promise<string[]> {
  const times: [number[], number[]] = [[], []];
  const turns = rounds(usual);
  for (let turn = -Math.ceil(turns / 4); turn < turns; turn++) {
    for (const [i, call] of calls.entries()) {
      if (restMs > 0) await Bun.sleep(restMs);
      const started = performance.now();
      await call();
      if (turn >= 0) times[i]?.push(performance.now() - started);
    }
  }
  const [tool, method] = times;
  const adds = median(tool.map((each, i) => each - (method[i] ?? Number.NaN)));
  const late = (values: number[]): string => ms(quantile(values, 0.99));
  return [name, ms(median(tool)), ms(median(method)), ms(adds), late(tool), late(method)];
}

/** MCP of 2025-11-25 by hand: one call at a time. */
class StdioTools implements AsyncDisposable {
  readonly #proc: Bun.Subprocess<"pipe", "pipe", "inherit">;
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest = "";
  #id = 0;

  private constructor(argv: string[], { cwd, env }: Stage) {
    this.#proc = Bun.spawn(argv, { cwd, env, stdin: "pipe", stdout: "pipe", stderr: "inherit" });
    this.#chunks = this.#proc.stdout[Symbol.asyncIterator]();
  }

  static async start(argv: string[], stage: Stage): Promise<StdioTools> {
    const tools = new StdioTools(argv, stage);
    const clientInfo = { name: "bench", version: "1" };
    await tools.#ask("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
    await tools.#write({ jsonrpc: "2.0", method: "notifications/initialized" });
    return tools;
  }

  async call(name: string, args: object): Promise<unknown> {
    const result = await this.#ask("tools/call", { name, arguments: args });
    if (result["isError"] === true) throw new Error(JSON.stringify(result));
    return result["structuredContent"];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#proc.kill();
    await this.#proc.exited;
  }

  async #ask(method: string, params: object): Promise<Record<string, unknown>> {
    const id = ++this.#id;
    await this.#write({ jsonrpc: "2.0", id, method, params });
    for (;;) {
      const message = JSON.parse(await this.#line()) as { id?: number; result?: Record<string, unknown> };
      if (message.id !== id) continue;
      if (message.result === undefined) throw new Error(JSON.stringify(message));
      return message.result;
    }
  }

  async #write(message: object): Promise<void> {
    void this.#proc.stdin.write(`${JSON.stringify(message)}\n`);
    await this.#proc.stdin.flush();
  }

  async #line(): Promise<string> {
    for (let end = this.#rest.indexOf("\n"); ; end = this.#rest.indexOf("\n")) {
      if (end >= 0) {
        const line = this.#rest.slice(0, end);
        this.#rest = this.#rest.slice(end + 1);
        return line;
      }
      const { value, done } = await this.#chunks.next();
      if (done === true) throw new Error("holt mcp ended its output");
      this.#rest += new TextDecoder().decode(value);
    }
  }
}
