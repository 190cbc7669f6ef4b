/**
 * An error result carried its error as structuredContent, which broke the tool's own outputSchema: a host on SDK 1.x threw "Structured content does not
 * match the tool's output schema", and the model saw neither message nor hint. So an error is text alone, whichever client asks.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { end } from "../daemon/household.ts";
import { Bench } from "../support/holt.ts";
import { AgentClient } from "./agent-client.ts";
import { ERAS, HOLT } from "./connect.ts";
import { callOf, Inspector } from "./inspect.ts";

type Call = readonly [string, Record<string, unknown>];
interface Result {
  isError?: boolean;
  content: { type: string; text: string }[];
  structuredContent?: unknown;
}
interface Asking extends AsyncDisposable {
  call(name: string, args: Record<string, unknown>): Promise<unknown>;
}

/** A toolset, a call that fails, and what the model is to read of it. */
const REFUSED: [string, Call, string][] = [
  ["agent", ["session_get", { session_id: "nosuch" }], "ENOTFOUND: session not found: nosuch"],
  ["agent", ["exec_run", { command: 3 }], "EBADARGS: exec_run: command: got 3, expected a text"],
  [
    "agent",
    ["session_stop", { session_id: "theirs" }],
    "EDENIED: session theirs was started by another client\nyou may",
  ],
  ["all", ["session_read", { session_id: "nosuch" }], "ENOTFOUND: session not found: nosuch"],
  ["terminal", ["pty_read", { id: "nosuch" }], "ENOTFOUND: session not found: nosuch"],
];
/** The seed of derun: every answer of a tool has `schema_version`. */
const DERUN: [Call, { code: string; message: string }][] = [
  [["derun_get_session", { session_id: "nosuch" }], { code: "ENOTFOUND", message: "session not found: nosuch" }],
  [["derun_read_output", { session_id: "nosuch" }], { code: "ENOTFOUND", message: "session not found: nosuch" }],
  [["derun_wait_output", { session_id: "x", cursor: "0" }], { code: "ENOTFOUND", message: "session not found: x" }],
  [
    ["derun_list_sessions", { limit: 0 }],
    { code: "EBADARGS", message: "derun_list_sessions: limit: got 0, expected an integer of at least 1" },
  ],
  [
    ["derun_read_output", { session_id: "theirs", max_byte: 5 }],
    { code: "EBADARGS", message: 'derun_read_output: there is no "max_byte" (did you mean max_bytes?)' },
  ],
];

let bench: Bench;
beforeAll(async () => {
  bench = Bench.withDaemon();
  await bench.run(["start", "--session-id", "theirs", "--", "cat"]);
});
afterAll(async () => {
  await end(bench);
  bench[Symbol.dispose]();
});

async function sdk1(tools: string): Promise<Asking> {
  const [command, ...args] = HOLT;
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StdioClientTransport({ command, args: [...args, "mcp", "--tools", tools], env: bench.env }));
  await client.listTools(); // with the tools known, each answer is checked against its schema
  return {
    call: (name, given) => client.callTool({ name, arguments: given }),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

async function inspector(tools: string): Promise<Asking> {
  const inspecting = new Inspector(bench.root);
  const target = { root: bench.state, era: "modern", tools } as const;
  return {
    call: async (name, given) => (await inspecting.run(target, ...callOf(name, given))).result,
    [Symbol.asyncDispose]: () => inspecting[Symbol.asyncDispose](),
  };
}

const CLIENTS: Record<string, (tools: string) => Promise<Asking>> = {
  "SDK 1.x": sdk1,
  ...Object.fromEntries(
    ERAS.map((era) => [`SDK 2.x, ${era} era`, (tools: string) => AgentClient.open(era, { bench, tools })]),
  ),
  "the inspector": inspector,
};

describe.each(Object.keys(CLIENTS))("An error reaches the model by %s:", (name) => {
  /** One for each toolset. */
  const clients = new Map<string, Asking>();
  afterAll(async () => {
    for (const client of clients.values()) await client[Symbol.asyncDispose]();
  });

  async function refused(tools: string, [tool, given]: Call): Promise<string> {
    const client = clients.get(tools) ?? (await (CLIENTS[name] as (typeof CLIENTS)[string])(tools));
    clients.set(tools, client);
    const result = (await client.call(tool, given)) as Result;
    expect(result).toMatchObject({ isError: true, content: [{ type: "text" }] });
    expect(result.content).toHaveLength(1);
    expect(result).not.toHaveProperty("structuredContent");
    return result.content[0]?.text ?? "";
  }

  // Each call of the inspector is a start of node's.
  const [refusals, derun] = name === "the inspector" ? [REFUSED.slice(0, 1), DERUN.slice(0, 1)] : [REFUSED, DERUN];

  test.each(refusals)("%s %j is code, message and hint", async (tools, call, text) => {
    expect(await refused(tools, call)).toStartWith(text);
  });

  test.each(derun)("derun %j is an object of text, with its schema_version", async (call, error) => {
    expect(JSON.parse(await refused("derun", call))).toMatchObject({ schema_version: "v1alpha1", error });
  });
});

/**
 * A file named with U+202E was listed to a model, and to the person beside it, in another order than its bytes have. An id with the same was echoed in an error.
 */
test("Names and errors have their control characters escaped; a file's contents are as they are.", async () => {
  await using agent = await AgentClient.open("modern", { tools: "agent" });
  const odd = "a\u202efdp.\u009bx";
  const shown = "a\\u202efdp.\\u009bx";
  const path = join(agent.bench.root, odd);
  writeFileSync(path, `contents ${odd}`);
  const textFrom = async (name: string, given: object) => {
    const { content } = (await agent.call(name, { ...given })) as unknown as Result;
    return content.map(({ text }) => text).join("\n");
  };
  const listed = await textFrom("fs_list", { path: agent.bench.root });
  expect(listed).toContain(shown);
  expect(listed).not.toContain(odd);
  for (const [name, given] of [
    ["session_get", { session_id: odd }],
    ["fs_read_file", { path: `${path}-missing` }],
  ] as const) {
    const told = await textFrom(name, given);
    expect([name, told]).toEqual([name, expect.stringContaining(shown)]);
    expect(told).not.toMatch(/[\u202e\u009b]/);
  }
  expect(await textFrom("fs_read_file", { path })).toContain(`contents ${odd}`);
});
