/** `holt show`, and how a session is found by id, prefix and name. */
import { describe, expect, test } from "bun:test";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { ago, CommandLine } from "./command-line.ts";

async function shown(line: CommandLine, id: string): Promise<unknown> {
  return JSON.parse((await line.run(["show", "--json", id])).text);
}

function build(line: CommandLine): void {
  line.ended("k3f9q2", {
    output: ["hello\n"],
    meta: {
      name: "build",
      argv: ["make", "-j4", "all things"],
      cwd: "/src",
      process: { pid: 4242, start_time: 1, boot_id: null },
    },
    final: { exit_code: 2, ended_at: "2026-01-01T00:00:00.000Z", duration_ms: 65_000 },
  });
  const events = [
    { at: "2025-12-31T23:58:55.000Z", type: "state", state: "running" },
    { at: "2026-01-01T00:00:00.000Z", type: "state", state: "exited", note: "\x1b[31mx" },
  ];
  appendFileSync(
    join(line.layout.sessions, "k3f9q2", "events.jsonl"),
    events.map((event) => `${JSON.stringify(event)}\n`).join(""),
    { mode: 0o600 },
  );
}

describe("holt show", () => {
  test("Not on a terminal: one line per field and per event, with tabs.", async () => {
    using line = new CommandLine();
    build(line);
    const { text, exitCode } = await line.run(["show", "build"]);
    expect(exitCode).toBe(0);
    const rows = text
      .trimEnd()
      .split("\n")
      .map((row) => row.split("\t"));
    expect(Object.fromEntries(rows.filter(([name]) => name !== "event"))).toMatchObject({
      id: "k3f9q2",
      name: "build",
      state: "exited 2",
      reason: "completed",
      command: "make -j4 'all things'",
      directory: "/src",
      ended: "2026-01-01T00:00:00.000Z",
      duration: "65000 ms",
      output: "6",
      kept: "until 2026-01-02T00:00:00.000Z",
      pid: "4242",
      environment: "PATH TERM",
    });
    expect(rows.filter(([name]) => name === "event")).toEqual([
      ["event", "2025-12-31T23:58:55.000Z", "state", "state=running"],
      ["event", "2026-01-01T00:00:00.000Z", "state", "state=exited note=x"],
    ]);
  });

  test("On a terminal: aligned and rounded, with a sign for the state.", async () => {
    using line = new CommandLine();
    build(line);
    const text = await line.seen(["show", "k3f"], { cols: 120, env: { NO_COLOR: "1" } });
    expect(text).toContain("id          k3f9q2\n");
    expect(text).toContain("state       ✗ exited 2\n");
    expect(text).toContain("duration    1 min 5 s\n");
    expect(text).toMatch(/\nevents\n {2}\d{4}-\d\d-\d\d \d\d:\d\d:55 {2}state {2}state=running\n/);
  });

  /** Timeouts and input sharing of a session were shown nowhere. */
  test("Timeouts and sharing rules are shown if they were set.", async () => {
    using line = new CommandLine();
    const client_rules = { input: "lease", size_rule: "latest", max_clients: 1 } as const;
    line.ended("plain", {});
    line.ended("timed", { meta: { timeout_ms: 600_000, idle_timeout_ms: 30_000, client_rules } });
    line.ended("partly", { meta: { idle_timeout_ms: 1500, client_rules: { ...client_rules, size_rule: "smallest" } } });
    const told = async (id: string): Promise<string[]> =>
      (await line.run(["show", id])).text.split("\n").filter((row) => /^(timeout|sharing)\t/.test(row));
    expect(await told("plain")).toEqual([]);
    expect(await told("timed")).toEqual([
      "timeout\tafter 600000 ms, after 30000 ms idle",
      "sharing\tinput lease, size latest, at most 1 client",
    ]);
    expect(await told("partly")).toEqual(["timeout\tafter 1500 ms idle", "sharing\tinput lease, at most 1 client"]);
    expect(await line.seen(["show", "timed"], { cols: 120, env: { NO_COLOR: "1" } })).toContain(
      "timeout     after 10 min, after 30.0 s idle\n",
    );
  });

  test("--json is the session with its events.", async () => {
    using line = new CommandLine();
    build(line);
    const session = JSON.parse((await line.run(["show", "--json", "k3f9q2"])).text) as Record<string, unknown>;
    expect(session).toMatchObject({
      session_id: "k3f9q2",
      exit_code: 2,
      survivors: [],
      events: [{ type: "state" }, { state: "exited" }],
    });
  });
});

describe("Finding a session", () => {
  test("The size is that after the last resize; the initial one is kept too.", async () => {
    using line = new CommandLine();
    const size = { cols: 120, rows: 40, width: 0, height: 0 };
    line.ended("t1", { meta: { transport_mode: "posix-pty", size } });
    using _running = line.running("t2", { transport_mode: "posix-pty", size });
    for (const id of ["t1", "t2"]) {
      expect(await shown(line, id)).toMatchObject({ size, current_size: { cols: 120, rows: 40 } });
      const resizes = [60, 99].map((cols) => ({ at: ago(1), type: "resize", cols, rows: 33, cursor: 0 }));
      appendFileSync(
        join(line.layout.sessions, id, "events.jsonl"),
        resizes.map((event) => `${JSON.stringify(event)}\n`).join(""),
        { mode: 0o600 },
      );
      expect(await shown(line, id)).toMatchObject({ size, current_size: { cols: 99, rows: 33 } });
      expect((await line.run(["show", id])).text).toContain("transport\tposix-pty 99×33\n");
    }
  });

  test("An unknown session is reported with the most similar one, and exit code 1.", async () => {
    using line = new CommandLine();
    build(line);
    const { stderr, text, exitCode } = await line.run(["show", "buidl"]);
    expect(text).toBe("");
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^holt: session not found: buidl\n {6}did you mean .*build.*\n$/);
  });

  test("With --json the error is one JSON object on stderr, with the same exit code.", async () => {
    using line = new CommandLine();
    const { stderr, exitCode } = await line.run(["show", "--json", "nobody"]);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: "ENOTFOUND", message: "session not found: nobody" } });
    expect(exitCode).toBe(1);
  });

  test("An ambiguous prefix is refused with both ids, and exit code 2.", async () => {
    using line = new CommandLine();
    line.ended("k3a");
    line.ended("k3b");
    const { stderr, exitCode } = await line.run(["show", "k3"]);
    expect(stderr).toMatch(/^holt: .*\n {6}use more of the id:\n {6}k3[ab] \(.*\n {6}k3[ab] \(.*\n$/);
    expect(stderr).toContain("k3a");
    expect(stderr).toContain("k3b");
    expect(exitCode).toBe(2);
  });

  test("An empty reference is reported as empty.", async () => {
    using line = new CommandLine();
    build(line);
    expect(await line.run(["show", ""])).toMatchObject({
      exitCode: 2,
      stderr: "holt: the session id is empty\n      `holt ls --all` lists ids and names\n",
    });
  });

  test("Escape sequences in a reference are not printed.", async () => {
    using line = new CommandLine();
    const { stderr } = await line.run(["show", "x\x1b]0;owned\x07y"]);
    expect(stderr).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
  });
});
