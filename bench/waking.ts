/** How long an agent's `wait` sleeps after the bytes are there. */
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { median, quantile } from "./measure.ts";
import { Stage } from "./stage.ts";
import { ms, type Section } from "./table.ts";

const TURNS = 300;
const ID = "waking";

export async function waking(holt: string): Promise<Section[]> {
  await using stage = new Stage(holt);
  const { cwd, env } = stage;
  const bare = Bun.spawn(["cat"], { stdin: "pipe", stdout: "pipe" });
  const session = Bun.spawn([holt, "run", "--session-id", ID, "--", "cat"], {
    stdin: "pipe",
    stdout: "ignore",
    stderr: "inherit",
    env,
    cwd,
  });
  const client = new Client({ name: "bench", version: "1" }, { versionNegotiation: { mode: "auto" } });
  try {
    await client.connect(new StdioClientTransport({ command: holt, args: ["mcp", "--tools", "derun"], env }));
    const echo = bare.stdout.getReader();
    let cursor = "0";
    const wait = async (): Promise<void> => {
      const result = await client.callTool({
        name: "derun_wait_output",
        arguments: { session_id: ID, cursor, timeout_ms: 10_000 },
      });
      const { next_cursor } = result.structuredContent as { next_cursor: string };
      if (next_cursor === cursor) throw new Error("woken without bytes");
      cursor = next_cursor;
    };
    const baseline: number[] = [];
    const ours: number[] = [];
    const call: number[] = [];
    await Bun.sleep(300);
    for (let turn = -20; turn < TURNS; turn++) {
      const pipe = await round(() => (bare.stdin.write("x\n"), bare.stdin.flush(), echo.read()));
      const waiting = wait();
      await Bun.sleep(5); // until the call lies there and waits
      const woken = await round(() => (session.stdin.write("x\n"), session.stdin.flush(), waiting));
      const read = await round(() =>
        client.callTool({ name: "derun_read_output", arguments: { session_id: ID, cursor } }),
      );
      if (turn < 0) continue;
      baseline.push(pipe);
      ours.push(woken);
      call.push(read);
    }
    const row = (name: string, values: number[]): string[] => [
      name,
      ms(median(values)),
      ms(quantile(values, 0.99)),
      (median(values) / median(baseline)).toFixed(1),
    ];
    return [
      {
        title: "Waking a wait",
        about: `From a write into \`cat\` to the reply of \`derun_wait_output\` that was waiting for its echo (${TURNS} times): through the command, the holder, its transcript, its socket, the MCP server and the client. Beside it: the echo alone through a bare pipe, and an MCP call that waits for nothing.`,
        head: ["", "p50", "p99", "of the baseline"],
        rows: [row("echo through a pipe", baseline), row("an MCP read", call), row("the MCP wait wakes", ours)],
      },
    ];
  } finally {
    await client.close();
    bare.kill();
    await session.stdin.end();
    await session.exited;
  }
}

async function round(act: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await act();
  return performance.now() - started;
}
