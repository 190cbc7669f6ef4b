/**
 * A program printed, and was named, with characters that act on whoever reads of it: bidi controls turned the text around, and 8-bit C1 controls, as characters and as
 * bytes, were commands to the reader's terminal. Escape sequences were filtered everywhere; these came through `logs --text`, `screen`, MCP and attach.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { isUtf8 } from "node:buffer";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { AgentClient, textOf } from "../mcp/agent-client.ts";
import { AttachBench, LEAVE } from "../support/attach-bench.ts";

const BIDI = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069";
const PRINTED = Buffer.concat([
  Buffer.from(`one${BIDI}two \u009b31mthree\u009b0m \u0090$qm\u009cfour `),
  Buffer.from("five\x9b0msix\r\n", "latin1"),
]);
const ARGUMENT = `${BIDI}\u009b31mname`;

let bench: AttachBench;
let file: string;
let id: string;
beforeAll(async () => {
  bench = new AttachBench();
  file = join(bench.root, "printed");
  writeFileSync(file, PRINTED);
  const { text } = await bench.run([
    "start",
    "--size",
    "80x24",
    "--",
    "sh",
    "-c",
    `cat ${file}; read -r x; cat ${file}; read -r x`,
    ARGUMENT,
  ]);
  id = text.trim();
  expect(await bench.run(["wait", id, "--since", "0", "--until", "match=six"])).toMatchObject({ exitCode: 0 });
});
afterAll(async () => {
  await bench.end(id);
  bench[Symbol.dispose]();
});

/** Nothing but printable characters. */
function expectHarmless(text: string): void {
  expect(text).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
}

test.each([
  "logs --text ID",
  "logs --text --tail 5 ID",
  "logs --text --grep onetwo ID",
  "screen ID",
  "screen --json ID",
  "ls --all",
  "ls --all --json",
  "show ID",
  "show --json ID",
])("`holt %s` shows none of them", async (command) => {
  const { text, exitCode } = await bench.run(command.replace("ID", id).split(" "));
  expect(exitCode).toBe(0);
  expectHarmless(text);
  if (/logs|screen/.test(command)) expect(text).toContain("onetwo");
});

test("An agent is given none of them.", async () => {
  await using agent = await AgentClient.open("modern");
  const ran = await agent.call("exec_run", { command: `head -c 80 ${file}` });
  expectHarmless(textOf(ran));
  expect(ran.structuredContent).toMatchObject({ channels: { stdout: expect.stringContaining("onetwo ") } });
  expectHarmless(JSON.stringify(ran.structuredContent));
  const { session_id } = await agent.ask("session_start", { argv: ["cat", file] });
  await agent.ask("session_wait", { session_id, until: "exit" });
  for (const tool of ["session_read", "session_screen"]) {
    const answer = await agent.call(tool, { session_id });
    expect(textOf(answer)).toContain("onetwo");
    expectHarmless(textOf(answer));
  }
});

test("Whoever attaches sees the text, and a byte that would be a control as broken.", async () => {
  await using user = bench.attach(id);
  await user.sees("onetwo");
  const from = user.text.length;
  user.type("\r");
  await user.sees("six", { from });
  user.type(LEAVE);
  expect(await user.exit()).toEqual({ exitCode: 0, signal: null });
  expect(user.text.slice(from)).toContain("onetwo");
  expect(user.text).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
  expect(isUtf8(user.bytes)).toBe(true);
});
