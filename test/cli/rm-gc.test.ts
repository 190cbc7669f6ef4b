/** `holt rm` and `holt gc`. */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ago, CommandLine } from "./command-line.ts";

const exists = (line: CommandLine, id: string): boolean => existsSync(join(line.layout.sessions, id));

describe("holt rm", () => {
  test("removes by id, prefix and name, and prints nothing", async () => {
    using line = new CommandLine();
    for (const id of ["a1", "b22", "c3"]) line.ended(id, { meta: { name: id === "c3" ? "build" : null } });
    expect(await line.run(["rm", "a1", "b2", "build"])).toMatchObject({ text: "", stderr: "", exitCode: 0 });
    expect(line.ids).toEqual([]);
  });

  test("refuses a running session with a hint, and removes the others", async () => {
    using line = new CommandLine();
    using _web = line.running("k3f9q2", { name: "web", process: { pid: 4242, start_time: null, boot_id: null } });
    line.ended("a1");
    const { stderr, exitCode } = await line.run(["rm", "web", "a1", "a1"]);
    expect(stderr).toBe(
      "holt: web (k3f9q2) is still running\n      end it with `holt stop k3f9q2`, then run rm again\n",
    );
    expect(exitCode).toBe(1);
    expect(line.ids).toEqual(["k3f9q2"]);
  });

  test("refuses a session that is about to be restarted, with a hint", async () => {
    using line = new CommandLine();
    const starts_at = new Date(Date.now() + 60_000).toISOString();
    const policy = { when: "always", max_restarts: null, delay_ms: 1000 } as const;
    using _next = line.running("n2", {
      process: null,
      started_at: null,
      restart: { ...policy, count: 1, in_a_row: 1, starts_at },
    });
    expect((await line.run(["rm", "n2"])).stderr).toBe(
      "holt: n2 is about to be restarted\n      cancel the restart with `holt stop n2`, then run rm again\n",
    );
  });

  test("--json lists the removed sessions; errors are JSON too", async () => {
    using line = new CommandLine();
    line.ended("a1");
    const { text, stderr, exitCode } = await line.run(["rm", "--json", "a1", "nobody"]);
    expect(JSON.parse(text)).toEqual({ removed: ["a1"] });
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: "ENOTFOUND" } });
    expect(exitCode).toBe(1);
  });

  test("without an id is a usage error", async () => {
    using line = new CommandLine();
    expect(await line.run(["rm"])).toMatchObject({
      exitCode: 2,
      stderr: "holt: missing argument: ID\n      usage: holt rm ID... [--json]\n",
    });
  });
});

describe("holt gc", () => {
  function twoDue(line: CommandLine): void {
    line.ended("due1", { output: ["x".repeat(3000)], meta: { retention_seconds: 60 }, final: { ended_at: ago(100) } });
    line.ended("due2", { output: ["y"], final: { ended_at: ago(90_000) } });
    line.ended("fresh", {});
  }

  test("--dry-run lists what would be removed and removes nothing; without it, the same is removed", async () => {
    using line = new CommandLine();
    twoDue(line);
    using _web = line.running("web", { retention_seconds: 1 });
    const dry = await line.run(["gc", "--dry-run"]);
    const rows = dry.text
      .trimEnd()
      .split("\n")
      .map((row) => row.split("\t"));
    expect(rows.map(([id, reason]) => `${id} ${reason}`).toSorted()).toEqual(["due1 expired", "due2 expired"]);
    expect(Number(rows.find(([id]) => id === "due1")?.[2])).toBeGreaterThanOrEqual(3000);
    expect(line.ids).toEqual(["due1", "due2", "fresh", "web"]);

    const wet = await line.run(["gc"]);
    expect(wet.text.split("\n").toSorted()).toEqual(dry.text.split("\n").toSorted());
    expect(line.ids).toEqual(["fresh", "web"]);
    expect(await line.run(["gc"])).toMatchObject({ text: "", stderr: "", exitCode: 0 });
  });

  test("--json has one decision per session", async () => {
    using line = new CommandLine();
    twoDue(line);
    const result = JSON.parse((await line.run(["gc", "-n", "--json"])).text) as {
      dry_run: boolean;
      freed_bytes: number;
      decisions: { session_id: string; result: string }[];
    };
    expect(result.dry_run).toBe(true);
    expect(result.freed_bytes).toBeGreaterThanOrEqual(3001);
    expect(
      Object.fromEntries(result.decisions.map(({ session_id, result: outcome }) => [session_id, outcome])),
    ).toEqual({ due1: "removed", due2: "removed", fresh: "kept" });
  });

  test("shows totals on a terminal", async () => {
    using line = new CommandLine();
    twoDue(line);
    const text = await line.seen(["gc"], { env: { NO_COLOR: "1" } });
    expect(text).toMatch(/^ID +SIZE +REASON\n(due[12] .* expired\n){2}\n2 sessions removed, \d.*; 1 kept\n$/);
    expect(await line.seen(["gc"], { env: { NO_COLOR: "1" } })).toBe("nothing to remove; 1 session kept\n");
    expect(exists(line, "fresh")).toBe(true);
  });

  test("logs a kept session once", async () => {
    using line = new CommandLine();
    for (let number = 0; number < 20; number++) line.ended(`kept-${number}`);
    const cleanups = (): number => readFileSync(line.layout.logFile, "utf8").split('"cleanup"').length - 1;
    await line.run(["gc"]);
    expect(cleanups()).toBe(20);
    for (let round = 0; round < 3; round++) await line.run(["gc"]);
    expect(cleanups()).toBe(20);
  });
});
