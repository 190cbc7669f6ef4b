/** `holt ls`, and `holt` without arguments. */
import { describe, expect, test } from "bun:test";
import { ago, CommandLine } from "./command-line.ts";

function threeSessions(line: CommandLine): Disposable {
  line.ended("m81xz0", {
    output: ["12 passed\n", "3 failed, 120 passed\n"],
    meta: { name: "tests", argv: ["bun", "test"], created_at: ago(65) },
    final: { exit_code: 1 },
  });
  line.ended("a00old", { meta: { created_at: ago(90_000) }, final: { ended_at: ago(7000) } });
  const web = line.running("k3f9q2", { name: "web", argv: ["npm", "run", "dev"], created_at: ago(125) });
  web.print("compiling…\r\n\x1b[32mready\x1b[0m on http://localhost:3100\r\n");
  return web;
}

describe("On a terminal", () => {
  test("What runs comes first, then what ended lately, and how many more there are.", async () => {
    using line = new CommandLine();
    using _web = threeSessions(line);
    expect(await line.seen(["ls"], { cols: 100, env: { NO_COLOR: "1" } })).toBe(
      [
        "ID      NAME   STATE       AGE  COMMAND      LAST OUTPUT",
        "k3f9q2  web    ● running   2m   npm run dev  ready on http://localhost:3100",
        "m81xz0  tests  ✗ exited 1  1m   bun test     3 failed, 120 passed",
        "",
        "1 older not shown: holt ls --all",
        "",
      ].join("\n"),
    );
  });

  test("What is not listed is counted by its reason: older, earlier attempts, or more than -n.", async () => {
    using line = new CommandLine();
    using _web = threeSessions(line);
    line.ended("b1", { meta: { created_at: ago(50) }, final: { ended_at: ago(40) } });
    line.ended("b2", { meta: { created_at: ago(40), previous_session_id: "b1" }, final: { ended_at: ago(30) } });
    const end = async (...args: string[]): Promise<string> =>
      (await line.seen(["ls", ...args], { env: { NO_COLOR: "1" } })).split("\n\n")[1] ?? "";
    expect(await end()).toBe("1 earlier attempt and 1 older not shown: holt ls --all\n");
    expect(await end("-n1")).toBe(
      "2 more not shown because of -n\n1 earlier attempt and 1 older not shown: holt ls --all\n",
    );
    expect(await end("--all")).toBe("");
    expect(await end("--all", "-n4")).toBe("1 more not shown because of -n\n");
  });

  test("A state has its colour besides its sign and its word, unless NO_COLOR or a dumb terminal says otherwise.", async () => {
    using line = new CommandLine();
    using _web = threeSessions(line);
    const coloured = await line.seen(["ls"]);
    expect(coloured).toContain("\x1b[32m● running\x1b[39m");
    expect(coloured).toContain("\x1b[31m✗ exited 1\x1b[39m");
    for (const env of [{ NO_COLOR: "1" }, { TERM: "dumb" }, { CLICOLOR: "0" }]) {
      expect(await line.seen(["ls"], { env })).not.toContain("\x1b");
    }
  });

  test("On a narrow terminal the last output, the age and the id give way; name, state and command stay.", async () => {
    using line = new CommandLine();
    using _web = threeSessions(line);
    const at = async (cols: number) => (await line.seen(["ls"], { cols, env: { NO_COLOR: "1" } })).split("\n")[1];
    expect(await at(60)).toBe("k3f9q2  web    ● running   2m   npm run dev  ready on http:…");
    expect(await at(50)).toBe("k3f9q2  web    ● running   2m   npm run dev");
    expect(await at(40)).toBe("k3f9q2  web    ● running   npm run dev");
    expect(await at(30)).toBe("web    ● running   npm run dev");
    expect(await at(26)).toBe("web    ● running   npm ru…");
  });

  test("A long command leaves room for the last output at 80 columns.", async () => {
    using line = new CommandLine();
    line.ended("2kf0xq7ma3zt", {
      output: ["3 failed, 120 passed\n"],
      meta: { name: "integration", argv: ["npx", "playwright", "test", "--project=chromium"], created_at: ago(65) },
      final: { state: "signaled", exit_code: null, signal: "SIGKILL" },
    });
    const [header, row] = (await line.seen(["ls"], { env: { NO_COLOR: "1" } })).split("\n");
    expect(header).toMatch(/^ID +NAME +STATE +AGE +COMMAND +LAST OUTPUT$/);
    expect(row).toBe("2kf0xq7ma3zt  integration  ✗ signaled SIGKILL  1m   npx playwrigh…  3 failed, 1…");
  });

  test("No line is ever wider than the terminal, whatever the sessions are called.", async () => {
    using line = new CommandLine();
    line.ended("a".repeat(128), {
      meta: { name: "日本語の名前".repeat(8), argv: ["sh", "-c", "x".repeat(500)] },
      output: ["👍🏽".repeat(300)],
    });
    for (const cols of [30, 40, 60, 80, 200]) {
      const widths = (await line.seen(["ls"], { cols, env: { NO_COLOR: "1" } }))
        .split("\n")
        .map((text) => Bun.stringWidth(text));
      expect(Math.max(...widths)).toBeLessThanOrEqual(cols);
    }
  });

  test("A name, an argument or output that holds escape sequences cannot act on the reader's terminal.", async () => {
    using line = new CommandLine();
    const evil = "\x1b]0;owned\x07\x1b[2J\x9b31mx\u202e\r\n";
    line.ended("evil", { meta: { name: `n${evil}`, argv: ["sh", evil] }, output: [evil, "tail\x1b[5n\x07"] });
    for (const command of [["ls"], ["show", "evil"], []]) {
      const text = await line.seen(command, { cols: 120, env: { NO_COLOR: "1" } });
      expect(text).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]/);
      // only where it is spelled out, as the command's argument
      expect(text.replaceAll(String.raw`\e]0;owned`, "")).not.toContain("owned");
    }
    const plain = await line.run(["ls"]);
    expect(plain.text).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]/);
    expect(plain.text.split("\n")).toHaveLength(2);
  });

  test("An empty list suggests first commands.", async () => {
    using line = new CommandLine();
    expect(await line.seen(["ls"], { env: { NO_COLOR: "1" } })).toBe(
      [
        "No sessions yet.",
        "",
        "  holt run -- npm test  run a command and record its output",
        "  holt logs -f ID       follow its output, from any terminal",
        "",
      ].join("\n"),
    );
    line.ended("a00old", { final: { ended_at: ago(7000) } });
    expect(await line.seen(["ls"], { env: { NO_COLOR: "1" } })).toStartWith(
      "No session is running or ended in the last hour; 1 older.\n\n  holt ls --all ",
    );
    expect(await line.seen(["ls", "--state", "failed"], { env: { NO_COLOR: "1" } })).toBe(
      "no session in state failed\n",
    );
  });
});

describe("Not on a terminal", () => {
  test("One line per session: id, name, state, time, command and last output, separated by tabs.", async () => {
    using line = new CommandLine();
    using _web = threeSessions(line);
    const { text, stderr, exitCode } = await line.run(["ls"]);
    expect(text.split("\n").map((row) => row.split("\t"))).toEqual([
      ["k3f9q2", "web", "running", line.meta("k3f9q2").created_at, "npm run dev", "ready on http://localhost:3100"],
      ["m81xz0", "tests", "exited 1", line.meta("m81xz0").created_at, "bun test", "3 failed, 120 passed"],
      [""],
    ]);
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  });

  /** A progress bar of kilobytes made the line of its session as long. */
  test("A long last line is cut.", async () => {
    using line = new CommandLine();
    line.ended("a1", { output: [`${"x".repeat(3000)}\n`] });
    const { text } = await line.run(["ls", "--all"]);
    expect(text.trimEnd().split("\t").at(-1)).toBe(`${"x".repeat(199)}…`);
  });

  test("An empty list prints nothing, even in a new state directory.", async () => {
    using line = new CommandLine();
    expect(await line.run(["ls"], { env: { HOLT_STATE_DIR: `${line.root}/never` } })).toMatchObject({
      text: "",
      stderr: "",
      exitCode: 0,
    });
    expect(JSON.parse((await line.run(["ls", "--json"])).text)).toEqual({ sessions: [] });
  });

  test("--all, --state and --limit select sessions; --quiet prints only ids.", async () => {
    using line = new CommandLine();
    using _web = threeSessions(line);
    const ids = async (...args: string[]) => (await line.run(["ls", "-q", ...args])).text.trim().split("\n");
    expect(await ids()).toEqual(["k3f9q2", "m81xz0"]);
    expect(await ids("--all")).toEqual(["k3f9q2", "m81xz0", "a00old"]);
    expect(await ids("--state", "exited")).toEqual(["m81xz0", "a00old"]);
    expect(await ids("--state=running")).toEqual(["k3f9q2"]);
    expect(await ids("-an2")).toEqual(["k3f9q2", "m81xz0"]);
    expect(await ids("--limit", "0")).toEqual([""]);
  });

  test("--quiet with --json, and an unknown state, are refused.", async () => {
    using line = new CommandLine();
    expect(await line.run(["ls", "-q", "--json"])).toMatchObject({ text: "", exitCode: 2 });
    expect((await line.run(["ls", "-q", "--json"])).stderr).toContain("--quiet and --json cannot be used together");
    expect(await line.run(["ls", "--state", "expired"])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("use one of starting, running, exited, signaled, failed;"),
    });
  });

  test("--json prints the sessions as the API knows them, on one line.", async () => {
    using line = new CommandLine();
    using _web = threeSessions(line);
    const { text } = await line.run(["ls", "--json"]);
    expect(text.trimEnd()).not.toContain("\n");
    const { sessions } = JSON.parse(text) as { sessions: Record<string, unknown>[] };
    expect(sessions[0]).toMatchObject({
      session_id: "k3f9q2",
      name: "web",
      state: "running",
      argv: ["npm", "run", "dev"],
      exit_code: null,
    });
    expect(sessions[1]).toMatchObject({
      session_id: "m81xz0",
      state: "exited",
      reason: "completed",
      exit_code: 1,
      output_bytes: 31,
    });
  });
});

describe("holt alone", () => {
  test("shows running sessions and first commands", async () => {
    using line = new CommandLine();
    using _web = threeSessions(line);
    expect(await line.seen([], { cols: 100, env: { NO_COLOR: "1" } })).toBe(
      [
        "ID      NAME  STATE      AGE  COMMAND      LAST OUTPUT",
        "k3f9q2  web   ● running  2m   npm run dev  ready on http://localhost:3100",
        "",
        "  holt run -- COMMAND    run a command and record its output",
        "  holt start -- COMMAND  start a command in the background",
        "  holt attach ID         attach your terminal to it; Ctrl-\\ d detaches",
        "  holt logs -f ID        follow a session's output",
        "  holt help              list all commands",
        "",
      ].join("\n"),
    );
  });

  test("prints the lines of ls when stdout is not a terminal", async () => {
    using line = new CommandLine();
    using _web = threeSessions(line);
    const { text } = await line.run([]);
    const { text: listed } = await line.run(["ls", "--state", "running"]);
    expect(text).toStartWith(`${listed}\n  holt run -- COMMAND `);
  });

  test("says that no session is running", async () => {
    using line = new CommandLine();
    expect((await line.run([])).text).toStartWith("holt: no session is running.\n\n  holt run -- COMMAND ");
    line.ended("x1");
    expect((await line.run([])).text).toStartWith("holt: no session is running. 1 ended session kept.\n");
  });
});
