/** `printf … | holt mcp` of the docs answered nothing: the end of the input canceled what had been asked before it. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isAlive } from "../chaos/processes.ts";
import { until } from "../chaos/size.ts";
import { end } from "../daemon/household.ts";
import { Bench, HOLT } from "../support/holt.ts";

let bench: Bench;
beforeEach(() => {
  bench = Bench.withDaemon();
});
afterEach(async () => {
  await end(bench);
  bench[Symbol.dispose]();
});

const page = readFileSync(join(import.meta.dir, "../../docs/agents.md"), "utf8");
const HELLO = [
  '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"hand","version":"0"}}}',
  '{"jsonrpc":"2.0","method":"notifications/initialized"}',
];

function asking(name: string, args: object): string {
  const call = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name, arguments: args } };
  return `${[...HELLO, JSON.stringify(call)].join("\n")}\n`;
}

function answerIn(out: string): Record<string, unknown> | undefined {
  const messages = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { id?: number; result?: Record<string, unknown> });
  return messages.find(({ id }) => id === 2)?.result;
}

test("The line of docs/agents.md is answered.", async () => {
  const [line = ""] = /^printf .*\| holt mcp$/m.exec(page) ?? [];
  const { text, exitCode } = await bench.shell(line.replace("| holt mcp", '| "$HOLT" mcp'));
  expect(exitCode).toBe(0);
  expect(answerIn(text)).toMatchObject({ structuredContent: { sessions: [], total_count: 0 } });
});

test("A command that ends soon is answered before the server goes.", async () => {
  const { text, exitCode } = await bench.run(["mcp"], {
    stdin: asking("exec_run", { command: "sleep 0.5; echo hello" }),
  });
  expect(exitCode).toBe(0);
  expect(answerIn(text)).toMatchObject({ structuredContent: { exit_code: 0, channels: { stdout: "hello\n" } } });
});

test("The last line needs no newline.", async () => {
  const { text, exitCode } = await bench.run(["mcp"], { stdin: asking("session_list", {}).trimEnd() });
  expect(exitCode).toBe(0);
  expect(answerIn(text)).toMatchObject({ structuredContent: { sessions: [] } });
});

test("One that does not is canceled, as it is when a connection closes.", async () => {
  const command = "echo $$ > pid; sleep 1000";
  const asked = asking("exec_run", { command, cwd: bench.root });
  const { exitCode } = await bench.run(["mcp"], { stdin: asked });
  expect(exitCode).toBe(0);
  const pid = Number(readFileSync(join(bench.root, "pid"), "utf8"));
  await until("it has ended", () => !isAlive(pid));
});

test("A signal ends the server at once, whatever is still to be answered.", async () => {
  const server = Bun.spawn([HOLT, "mcp"], { env: bench.env, cwd: bench.root, stdin: "pipe", stdout: "ignore" });
  void server.stdin.write(asking("exec_run", { command: "echo $$ > pid; sleep 1000", cwd: bench.root }));
  await server.stdin.end();
  const written = (): string => {
    try {
      return readFileSync(join(bench.root, "pid"), "utf8");
    } catch {
      return "";
    }
  };
  await until("it runs", () => written().endsWith("\n"));
  server.kill("SIGTERM");
  expect(await server.exited).toBe(0);
  await until("what it ran has ended", () => !isAlive(Number(written())));
});
