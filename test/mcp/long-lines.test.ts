/** What an agent gets of output that is one long line, or many that are alike: all of it where it fits, else where the rest is, and that call brings it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { AgentClient, textOf } from "./agent-client.ts";

const LINE = JSON.stringify(Array.from({ length: 4000 }, (_, id) => ({ id, name: `user${id}` })));

interface Left {
  channel: string;
  cursor: string;
  until: string;
  bytes: number;
}

describe("an agent", () => {
  let agent: AgentClient;
  let shell: string;
  let file: string;
  beforeAll(async () => {
    agent = await AgentClient.open("modern");
    file = join(agent.bench.root, "one.json");
    writeFileSync(file, `${LINE}\n`);
    writeFileSync(join(agent.bench.root, "m.csv"), "a,b\n0,0\n0,0\n0,0\n0,0\n\n\n\n\nend\n");
    shell = String((await agent.ask("session_start", { argv: ["bash", "--norc"] }))["session_id"]);
  });
  afterAll(() => agent[Symbol.asyncDispose]());

  /** Every part of it, by the calls that the answers name. */
  async function rest(session_id: string, left: Left): Promise<string> {
    let text = "";
    for (let { cursor } = left; Number(cursor) < Number(left.until); ) {
      const asked = { session_id, channel: left.channel, cursor, until: left.until, max_tokens: 8000 };
      const read = await agent.ask("session_read", asked);
      const omitted = read["omitted"] as Left | null;
      text += String(read["text"]).replace(/ … [\d,]+ bytes, cursor \d+ …$/, "");
      if (omitted === null) break;
      expect(read["next"]).toContain(`"cursor":"${omitted.cursor}","until":"${omitted.until}"`);
      expect(Number(omitted.cursor)).toBeGreaterThan(Number(cursor));
      cursor = omitted.cursor;
    }
    return text;
  }

  /**
   * A read of a line of 100 kB returned two kilobytes with a note in them, and an
   * answer with truncated: false. Further reads with any cursor, budget or match returned the same
   * two kilobytes; a range within the line was "0 lines".
   */
  test("gets the omitted part of a long line with the call that the answer names", async () => {
    const ran = await agent.ask("exec_run", { args: ["cat", file] });
    const { stdout } = ran["channels"] as { stdout: string };
    const [left] = ran["omitted"] as [Left];
    expect(ran).toMatchObject({ truncated: true, next: expect.stringContaining("session_read above") });
    const note = ` … ${left.bytes.toLocaleString("en")} bytes, cursor ${left.cursor} … `;
    expect(stdout.length).toBeLessThanOrEqual(15_000);
    expect(stdout.replace(note, await rest(String(ran["session_id"]), left))).toBe(`${LINE}\n`);
    const whole = await agent.ask("session_read", { session_id: ran["session_id"], max_tokens: 100_000 });
    expect(whole).toMatchObject({ text: `${LINE}\n`, truncated: false, omitted: null, lines: 1 });
    const hit = await agent.ask("session_read", { session_id: ran["session_id"], grep: '"user1500"', max_tokens: 500 });
    expect(String(hit["text"])).toContain('{"id":1500,"name":"user1500"}');
    expect(hit).toMatchObject({ truncated: true, omitted: { cursor: "0" } });
  });

  test("reads the same of a command in a live shell", async () => {
    const ran = await agent.ask("session_exec", { session_id: shell, command: `cat ${file}` });
    const [left] = ran["omitted"] as [Left];
    const note = ` … ${left.bytes.toLocaleString("en")} bytes, cursor ${left.cursor} … `;
    expect(String(ran["text"]).replace(note, await rest(shell, left))).toBe(`${LINE}\n`);
    const whole = await agent.ask("session_exec", { session_id: shell, command: `cat ${file}`, max_tokens: 100_000 });
    expect(whole).toMatchObject({ text: `${LINE}\n`, omitted: [], truncated: false });
  });

  /** `0,0 ⟨×4⟩` for four lines of a table, in an answer that said it was exactly the output. */
  test("gets output that fits as it is, and folded lines only when it does not fit", async () => {
    const expected = "a,b\n0,0\n0,0\n0,0\n0,0\n\n\n\n\nend\n";
    const command = `cat ${join(agent.bench.root, "m.csv")}`;
    expect(await agent.ask("session_exec", { session_id: shell, command })).toMatchObject({ text: expected });
    expect(await agent.ask("exec_run", { command })).toMatchObject({ channels: { stdout: expected } });
    const colours = await agent.ask("exec_run", { command: `printf '\\033[31mred\\033[0m\\n'; ${command}` });
    expect(colours).toMatchObject({ channels: { stdout: `red\n${expected}` } });
    const many = await agent.call("exec_run", { command: "yes | head -n 5000; echo end", max_tokens: 200 });
    expect(many.structuredContent).toMatchObject({ channels: { stdout: "y ⟨×5000⟩\nend\n" }, truncated: false });
    expect(textOf(many)).toContain("equal lines are folded");
    const unfinished = { session_id: shell, command: "yes | head -n 3000; printf end", max_tokens: 100 };
    expect(await agent.ask("session_exec", unfinished)).toMatchObject({ text: "y ⟨×3000⟩\nend" });
    const { tools } = await agent.client.listTools();
    for (const name of ["exec_run", "session_exec", "session_read"])
      expect(tools.find((tool) => tool.name === name)?.description).toContain("⟨×N⟩");
  });

  /** exec_run took max_tokens: 1, which its schema forbids, and session_read refused it. */
  test("is refused too small a budget by every tool alike", async () => {
    for (const [name, args] of [
      ["exec_run", { command: "true" }],
      ["session_exec", { session_id: shell, command: "true" }],
      ["session_read", { session_id: shell }],
    ] as const) {
      const refused = await agent.call(name, { ...args, max_tokens: 99 });
      expect(refused.isError).toBe(true);
      expect(textOf(refused)).toContain(`${name}: max_tokens: got 99, expected a whole number of at least 100`);
    }
  });

  /** "More than 60000 is taken as that", it said, and gave up after 50 s. */
  test("is told how long a call waits at most", async () => {
    const { tools } = await agent.client.listTools();
    for (const name of ["session_wait", "session_exec"]) {
      const properties = tools.find((tool) => tool.name === name)?.inputSchema.properties;
      expect(properties?.["timeout_ms"]).toMatchObject({ description: expect.stringContaining("More than 50000 is") });
    }
  });

  /** The answer said `session_ended`, and nothing of how. */
  test("hears how a shell ended that its command ended", async () => {
    const { session_id } = await agent.ask("session_start", { argv: ["bash", "--norc"] });
    const ended = await agent.call("session_exec", { session_id, command: "exit 3" });
    expect(textOf(ended)).toContain("session_ended: exit code 3");
  });
});
