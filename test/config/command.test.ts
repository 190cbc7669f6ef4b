/** `holt config`, and settings that take effect. */
import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { KEY_NAMES } from "../../src/config/keys.ts";
import { until } from "../chaos/size.ts";
import { failure } from "../client/failure.ts";
import { end, withDaemon } from "../daemon/household.ts";
import { Bench } from "../support/holt.ts";
import { configure } from "./configure.ts";

describe("holt config", () => {
  test("show prints a TOML file of every setting; --origin says where each comes from; --json is for programs", async () => {
    using bench = new Bench();
    const { text, exitCode } = await bench.run(["config", "show"]);
    expect(exitCode).toBe(0);
    expect(text.split("\n").filter((line) => line !== "")).toHaveLength(KEY_NAMES.length);
    expect(Bun.TOML.parse(text)).toMatchObject({ pty: { max_clients: 8 }, policy: { allow: [] } });
    const path = configure(bench, '[log]\n\nlevel = "warn"\n');
    const told = await bench.run(["config", "show", "--origin"], { env: { HOLT_PTY_MAX_CLIENTS: "3" } });
    expect(told.text).toMatch(new RegExp(`^log\\.level = "warn" +# ${path}:3$`, "m"));
    expect(told.text).toMatch(/^pty\.max_clients = 3 +# HOLT_PTY_MAX_CLIENTS$/m);
    expect(told.text).toMatch(/^log\.format = "json" +# default$/m);
    const short = await bench.run(["config", "show", "--origin"], { env: { HOLT_MAX_CLIENTS: "2" } });
    expect(short.text).toMatch(/^pty\.max_clients = 2 +# HOLT_MAX_CLIENTS$/m);
    const json = JSON.parse((await bench.run(["config", "show", "--origin", "--json"])).text);
    expect(json).toMatchObject({
      file: path,
      settings: { "log.level": "warn" },
      origins: { "log.level": `${path}:3` },
    });
    configure(bench, text);
    expect((await bench.run(["config", "show"])).text).toBe(text);
  });

  /** A policy behind a symlink was silently off once the target was gone. */
  test("check and start refuse a broken symlink", async () => {
    await withDaemon(async (client, bench) => {
      const path = configure(bench, "");
      rmSync(path);
      symlinkSync(join(bench.root, "policy.toml"), path);
      const told = await bench.run(["config", "check"]);
      expect(told.exitCode).not.toBe(0);
      expect(told.stderr).toContain(`cannot read the configuration: ${path}: ENOENT`);
      expect(await failure(client.call("session.start", { argv: ["true"] }))).toMatchObject({ code: "EDENIED" });
      writeFileSync(join(bench.root, "policy.toml"), "");
      expect(await client.call("session.start", { argv: ["true"], pty: false })).toMatchObject({ argv: ["true"] });
    });
  });

  /** The same for a symlinked directory, as GNU stow makes it. */
  test("check, run and start refuse a configuration directory that is a broken symlink", async () => {
    await withDaemon(async (client, bench) => {
      const [directory, elsewhere] = [join(bench.root, "config", "holt"), join(bench.root, "dotfiles")];
      mkdirSync(join(bench.root, "config"), { recursive: true });
      symlinkSync(elsewhere, directory);
      for (const words of [
        ["config", "check"],
        ["run", "--", "true"],
      ]) {
        const told = await bench.run(words);
        expect(told.exitCode).not.toBe(0);
        expect(told.stderr).toContain(`cannot read the configuration: ${directory}: ENOENT`);
      }
      const start = () => client.call("session.start", { argv: ["true"], pty: false });
      expect(await failure(start())).toMatchObject({ code: "EDENIED" });
      mkdirSync(elsewhere);
      expect(await start()).toMatchObject({ argv: ["true"] });
    });
  });

  /** `check` accepted variables that `show` and every command refused. */
  test("check covers the variables of commands", async () => {
    using bench = new Bench();
    const env = { HOLT_MAX_CLIENTS: "abc", HOLT_SLOW_CLIENT: "wait", HOLT_SCROLLBACK_BYTES: "64K" };
    expect(await bench.run(["config", "check"], { env })).toMatchObject({
      exitCode: 1,
      stderr: `the environment: invalid HOLT_MAX_CLIENTS: "abc" (use a number of clients, e.g. 8)
the environment: invalid HOLT_SLOW_CLIENT: "wait" (use close or resync)
`,
    });
    expect(await bench.run(["config", "show"], { env })).toMatchObject({ exitCode: 2 });
    const file = configure(bench, "");
    expect(await bench.run(["config", "check", file], { env })).toMatchObject({ exitCode: 0 });
  });

  test("path prints where the file is, or would be", async () => {
    using bench = new Bench();
    const usual = join(bench.root, "config", "holt", "config.toml");
    expect((await bench.run(["config", "path"])).text).toBe(`${usual}\n`);
    expect(JSON.parse((await bench.run(["config", "path", "--json"])).text)).toEqual({ path: usual, exists: false });
    const path = configure(bench, "{}", "config.json");
    expect((await bench.run(["config", "path"])).text).toBe(`${path}\n`);
  });

  test("check lists every mistake with its line and exits 1; FILE can be any file", async () => {
    using bench = new Bench();
    expect(await bench.run(["config", "check"])).toMatchObject({ exitCode: 0, text: "no configuration file\n" });
    const path = configure(bench, "[pty]\nmax_client = 1\n[log]\nlevel = 3\n");
    expect(await bench.run(["config", "check"], { env: { HOLT_LOG_FORMAT: "xml" } })).toMatchObject({
      exitCode: 1,
      stderr: `${path}:2: unknown key: pty.max_client (did you mean pty.max_clients?)
${path}:4: log.level: expected one of "debug", "info", "warn", "error", not 3
the environment: HOLT_LOG_FORMAT: expected one of "json", "text", not "xml"
`,
    });
    const other = join(bench.root, "other.yml");
    writeFileSync(other, "pty:\n  max_clients: 1\n");
    expect(await bench.run(["config", "check", other])).toMatchObject({ exitCode: 0, text: `${other} is valid\n` });
    expect(await bench.run(["config", "check", "other.ini"])).toMatchObject({ exitCode: 2 });
    const list = configure(bench, 'policy.allow = ["ls", "/usr/bin/env"]');
    expect(await bench.run(["config", "check"])).toMatchObject({
      exitCode: 0,
      stderr: `${list}:1: warning: policy.allow names /usr/bin/env, which can run any command (docs/security.md)\n`,
    });
    /**
     * Found by a newcomer: an address for HTTP, which was not served then, was valid, and nobody
     * listened there.
     */
    const later = configure(bench, 'tmux.socket = "/tmp/s"');
    expect(await bench.run(["config", "check"])).toMatchObject({
      exitCode: 0,
      stderr: `${later}:1: warning: tmux.socket has no effect in this version\n`,
    });
    expect(await bench.run(["config", "show", "x"])).toMatchObject({ exitCode: 2 });
    expect(await bench.run(["config", "shwo"])).toMatchObject({ exitCode: 2 });
  });
});

describe("The configuration takes effect", () => {
  test.each(["run", "start"])(
    "for holt %s: how long it is kept and how much, unless an option says otherwise",
    async (word) => {
      using bench = new Bench();
      configure(bench, "[sessions]\nretention_seconds = 77\nmax_output_bytes = 99\n");
      const start = async (id: string, ...options: string[]): Promise<void> => {
        expect(await bench.run([word, "--session-id", id, ...options, "--", "true"])).toMatchObject({ exitCode: 0 });
        await until("it has ended", () => existsSync(join(bench.state, "sessions", id, "final.json")));
      };
      await start("a");
      expect(bench.meta("a")).toMatchObject({ retention_seconds: 77, max_output_bytes: 99 });
      await start("b", "--retention", "5s", "--max-output-bytes", "7");
      expect(bench.meta("b")).toMatchObject({ retention_seconds: 5, max_output_bytes: 7 });
      configure(bench, "[sessions]\nretention = 77\n");
      const { exitCode, stderr } = await bench.run([word, "--", "true"]);
      expect(exitCode).toBe(2);
      expect(stderr).toContain(
        "config.toml:2: unknown key: sessions.retention\n      did you mean sessions.retention_seconds?",
      );
      await end(bench);
    },
  );

  test("for the quota of holt gc", async () => {
    using bench = new Bench();
    await bench.run(["run", "--session-id", "x", "--", "echo", "hi"]);
    expect((await bench.run(["gc", "--dry-run"])).text).toBe("");
    expect((await bench.run(["gc", "--dry-run"], { env: { HOLT_SESSIONS_QUOTA_BYTES: "0" } })).text).toMatch(
      /^x\tquota\t/,
    );
  });

  test("for the log: what is less than the level is not written, and text is for people", async () => {
    using bench = new Bench();
    const log = join(bench.state, "log", "holt.jsonl");
    await bench.run(["run", "--", "true"], { env: { HOLT_LOG_LEVEL: "error" } });
    expect(existsSync(log)).toBe(false);
    await bench.run(["start", "--", "true"], { env: { HOLT_LOG_FORMAT: "text" } });
    await until("it has ended", () => existsSync(log) && readFileSync(log, "utf8").includes("running -> exited"));
    expect(readFileSync(log, "utf8")).toMatch(
      /^\d{4}-\S+Z info {2}state pid=\d+ session_id=\w+ transport_mode=posix-pty /,
    );
    await end(bench);
  });

  test("for callers of the daemon, which takes a changed file with the next start, and starts nothing while it is wrong", async () => {
    await withDaemon(async (client, bench) => {
      const start = async (id: string, params: object = {}) =>
        client.call("session.start", { argv: ["true"], session_id: id, ...params });
      expect(await start("a")).toMatchObject({ retention_seconds: 86400 });
      configure(bench, "sessions.retention_seconds = 77\nsessions.max_output_bytes = 99");
      expect(await start("b")).toMatchObject({ retention_seconds: 77, max_output_bytes: 99 });
      expect(await start("c", { retention_seconds: 86400 })).toMatchObject({ retention_seconds: 86400 });
      const path = configure(bench, "nonsense");
      expect(await failure(start("d"))).toMatchObject({
        code: "EDENIED",
        message: expect.stringContaining(`so nothing is started: ${path}:1: invalid TOML`),
        details: { rule: "config" },
      });
      expect((await client.call("session.list", {})).sessions.map(({ session_id }) => session_id).toSorted()).toEqual([
        "a",
        "b",
        "c",
      ]);
      rmSync(path);
      expect(await start("d")).toMatchObject({ retention_seconds: 86400 });
    });
  });
});

describe("A setting that a session starts by", () => {
  test("pty.default_shell is what a line of shell is given to, and what is opened without a command, unless the caller's SHELL says otherwise", async () => {
    await withDaemon(async (client, bench) => {
      const command = 'echo "$0"';
      const usual = (await client.call("exec.run", { command, env: { SHELL: null } })).channels.stdout;
      expect(usual).toBe("/bin/sh\n");
      configure(bench, 'pty.default_shell = "/bin/bash"');
      expect((await client.call("exec.run", { command })).channels.stdout).toBe("/bin/bash\n");
      const own = { command, env: { SHELL: "/bin/dash" } };
      expect((await client.call("exec.run", own)).channels.stdout).toBe("/bin/dash\n");
      const { id } = await client.call("pty.open", {});
      expect(bench.meta(id).argv).toEqual(["/bin/bash"]);
      await client.call("pty.close", { id });
    });
  });

  test("pty.idle_ttl_seconds ends a terminal in which nothing happens, and nothing else", async () => {
    await withDaemon(async (client, bench) => {
      configure(bench, "pty.idle_ttl_seconds = 1");
      const piped = await client.call("session.start", { argv: ["sleep", "60"], pty: false });
      const patient = await client.call("session.start", { argv: ["sleep", "60"], idle_timeout_ms: 60_000 });
      const { id } = await client.call("pty.open", { argv: ["/bin/sleep", "60"] });
      await client.call("session.wait", { session_id: id, until: ["exit"] });
      expect(bench.final(id)).toMatchObject({ reason: "idle_timeout" });
      for (const { session_id } of [piped, patient]) {
        expect(await client.call("session.get", { session_id })).toMatchObject({ state: "running" });
        await client.call("session.kill", { session_id });
      }
    });
  });
});
