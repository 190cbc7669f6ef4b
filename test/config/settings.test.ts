/** The table of settings, and reading it from files and variables. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaults, KEY_NAMES, KEYS, variableOf } from "../../src/config/keys.ts";
import { problemWith } from "../../src/config/kinds.ts";
import { loadSettings } from "../../src/config/settings.ts";
import { configDirectory, isConfigured, isVariable } from "../../src/config/where.ts";
import { HoltError } from "../../src/protocol/types/errors.ts";

let root: string;
let env: Record<string, string>;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "h-"));
  env = { XDG_CONFIG_HOME: root };
});
afterEach(() => rmSync(root, { recursive: true }));

function write(name: string, text: string): string {
  mkdirSync(join(root, "holt"), { recursive: true });
  const path = join(root, "holt", name);
  writeFileSync(path, text);
  return path;
}

function refusal(): { message: string; hint: string | null } {
  try {
    loadSettings(env);
  } catch (error) {
    if (error instanceof HoltError && error.code === "EBADARGS")
      return { message: error.message.replaceAll(`${root}/holt/`, ""), hint: error.hint };
    throw error;
  }
  throw new Error("it was taken");
}

describe("The table of keys", () => {
  test("each default is valid for its key, or null", () => {
    for (const key of KEY_NAMES)
      if (KEYS[key].default !== null) expect([key, problemWith(KEYS[key], KEYS[key].default)]).toEqual([key, null]);
  });

  test("each variable is recognised without loading the table", () => {
    expect(KEY_NAMES.filter((key) => !isVariable(variableOf(key)))).toEqual([]);
  });

  test("other HOLT_* variables are not settings", () => {
    for (const name of ["HOLT_STATE_DIR", "HOLT_NO_DAEMON", "HOLT_SESSION_ID", "HOLT_QUIET_AFTER", "HOLT_DEBUG"])
      expect(isVariable(name)).toBe(false);
  });
});

describe("Settings", () => {
  test("are the defaults without a configuration", () => {
    const { settings, origins, file } = loadSettings(env);
    expect(settings).toEqual(defaults());
    expect(file).toBeNull();
    expect(new Set(origins.values())).toEqual(new Set(["default"]));
  });

  test.each([
    ["config.toml", 'log.level = "warn"\n[pty]\nmax_clients = 2\n[policy]\nallow = ["git", "/usr/bin"]\n', [1, 3, 5]],
    [
      "config.yaml",
      "log:\n  level: warn\npty: {max_clients: 2}\npolicy:\n  allow:\n    - git\n    - /usr/bin\n",
      [2, 3, 5],
    ],
    [
      "config.json",
      '{"log": {"level": "warn"},\n"pty": {"max_clients": 2},\n"policy": {"allow": ["git", "/usr/bin"]}}',
      [1, 2, 3],
    ],
  ])("come from %s, with the line of each", (name, text, [level, clients, allow]) => {
    const path = write(name, text);
    const { settings, origins, file } = loadSettings(env);
    expect(settings).toEqual({
      ...defaults(),
      "log.level": "warn",
      "pty.max_clients": 2,
      "policy.allow": ["git", "/usr/bin"],
    });
    expect(file).toBe(path);
    expect(origins.get("log.level")).toBe(`${path}:${level}`);
    expect(origins.get("pty.max_clients")).toBe(`${path}:${clients}`);
    expect(origins.get("policy.allow")).toBe(`${path}:${allow}`);
    expect(origins.get("log.format")).toBe("default");
  });

  test("a variable overrides the file", () => {
    write("config.toml", "pty.max_clients = 2");
    Object.assign(env, { HOLT_PTY_MAX_CLIENTS: "3", HOLT_POLICY_ALLOW: "git, ls", HOLT_TERMINAL_CLIPBOARD: "1" });
    const { settings, origins } = loadSettings(env);
    expect(settings).toMatchObject({ "pty.max_clients": 3, "policy.allow": ["git", "ls"], "terminal.clipboard": true });
    expect(origins.get("pty.max_clients")).toBe("HOLT_PTY_MAX_CLIENTS");
  });

  test.each(["config.toml", "config.yaml", "config.json"])("an empty %s sets nothing", (name) => {
    write(name, " \n");
    expect(loadSettings(env).settings).toEqual(defaults());
  });

  test("a file may be a symlink and may begin with a byte order mark", () => {
    symlinkSync(write("elsewhere", "\ufeffpty.max_clients = 2\r\n"), join(root, "holt", "config.toml"));
    expect(loadSettings(env).settings["pty.max_clients"]).toBe(2);
  });
});

describe("Mistakes", () => {
  test.each([
    [
      "an unknown key",
      "[policy]\n\nalow = []",
      "config.toml:3: unknown key: policy.alow",
      "did you mean policy.allow?",
    ],
    [
      "an unknown table",
      "a.b = 1\n[polcy]",
      "config.toml:1: unknown key: a",
      "`holt config show` lists all keys; 1 more: run `holt config check`",
    ],
    [
      "a key in no table",
      "retention_seconds = 1",
      "config.toml:1: unknown key: retention_seconds",
      "did you mean sessions.retention_seconds?",
    ],
    [
      "a dotted name in quotes",
      '"pty.max_clients" = 1',
      'config.toml:1: unknown key: "pty.max_clients"',
      "did you mean pty.max_clients?",
    ],
    ["a table that is a value", "pty = 3", "config.toml:1: pty must be a table of keys", null],
    [
      "a number that is none",
      '\n[pty]\nmax_clients = "2"',
      'config.toml:3: pty.max_clients: expected a whole number of at least 0, not "2"',
      null,
    ],
    [
      "a number with a point",
      "pty.max_clients = 1.5",
      "config.toml:1: pty.max_clients: expected a whole number of at least 0, not 1.5",
      null,
    ],
    [
      "a number too small",
      "sessions.retention_seconds = 0",
      "config.toml:1: sessions.retention_seconds: expected a whole number of at least 1, not 0",
      null,
    ],
    [
      "a word that is no choice",
      'log.level = "loud"',
      'config.toml:1: log.level: expected one of "debug", "info", "warn", "error", not "loud"',
      null,
    ],
    [
      "a path that is relative",
      'policy.roots = ["src"]',
      'config.toml:1: policy.roots: expected a list of absolute paths, not ["src"]',
      null,
    ],
    [
      "a command that is a relative path",
      'policy.deny = ["bin/x"]',
      'config.toml:1: policy.deny: expected a list of command names or absolute paths, not ["bin/x"]',
      null,
    ],
    [
      "a variable with a value",
      'policy.env = ["A=b"]',
      'config.toml:1: policy.env: expected a list of variable names; a * at the end matches any suffix, not ["A=b"]',
      null,
    ],
    [
      "a port that there is not",
      'http.listen = "127.0.0.1:99999"',
      'config.toml:1: http.listen: expected HOST:PORT, not "127.0.0.1:99999"',
      null,
    ],
    [
      "an address without a port",
      'http.listen = "localhost"',
      'config.toml:1: http.listen: expected HOST:PORT, not "localhost"',
      null,
    ],
    [
      "no TOML",
      "a = 1\n[pty]\nmax_clients = \n[log]\n",
      "config.toml:3: invalid TOML: Missing value after '='; values must be on the same line",
      null,
    ],
    [
      "a list without an end",
      "[pty]\n[policy]\nallow = [\n  'a',\n",
      expect.stringMatching(/^config\.toml:3: invalid TOML/),
      null,
    ],
    [
      "a key twice",
      "[pty]\nmax_clients = 1\nmax_clients = 2",
      "config.toml:3: invalid TOML: Cannot redefine key 'max_clients'",
      null,
    ],
  ])("%s is reported with its line", (_, text, message, hint) => {
    write("config.toml", text);
    expect(refusal()).toEqual({ message, hint } as never);
  });

  test.each([
    ["config.yaml", "pty:\n  max_clients: 1\n  max_clients: 2", "config.yaml:3: duplicate key: pty.max_clients"],
    ["config.yaml", "pty:\n  max_clients: [1\nlog: 2", expect.stringMatching(/^config\.yaml:2: invalid YAML/)],
    ["config.yaml", "a: 1\n---\nb: 2", "config.yaml:1: the configuration must be a table of keys"],
    ["config.yaml", "- a\n- b", "config.yaml:1: the configuration must be a table of keys"],
    ["config.json", '{"pty": {"max_clients": 1,\n"max_clients": 2}}', "config.json:2: duplicate key: pty.max_clients"],
    ["config.json", '{"pty": {\n"max_clients": }}', expect.stringMatching(/^config\.json:2: invalid JSON/)],
    ["config.json", '{"pty": {\n"max_clients": 1\n', expect.stringMatching(/^config\.json:\d: invalid JSON/)],
    [
      "config.json",
      '{"log": {\n"level": "warn",\n},\n"pty": {}}',
      expect.stringMatching(/^config\.json:3: invalid JSON/),
    ],
  ])("in %s: %j", (name, text, message) => {
    write(name, text);
    expect(refusal().message).toEqual(message as string);
  });

  test("two files are refused, and both are named", () => {
    write("config.toml", "");
    write("config.json", "{}");
    expect(refusal()).toEqual({
      message: "there are 2 configuration files: config.toml, config.json",
      hint: "keep one of them",
    });
  });

  test("a directory that cannot be searched is not reported as three files", () => {
    // The error named three configuration files, none of which existed.
    rmSync(join(root, "holt"), { recursive: true, force: true });
    symlinkSync("holt", join(root, "holt"));
    expect(refusal().message).toEqual("cannot read the configuration: config.toml: ELOOP");
  });

  test.each([
    [
      { HOLT_PTY_MAX_CLIENTS: "many" },
      'the environment: HOLT_PTY_MAX_CLIENTS: expected a whole number of at least 0, not "many"',
      null,
    ],
    [
      { HOLT_PTY_MAX_CLIENT: "1" },
      "the environment: unknown variable: HOLT_PTY_MAX_CLIENT",
      "did you mean HOLT_PTY_MAX_CLIENTS?",
    ],
  ])("a variable: %j", (variables, message, hint) => {
    Object.assign(env, variables);
    expect(refusal()).toEqual({ message, hint });
  });

  test("a directory and a file that is too large are refused", () => {
    mkdirSync(join(root, "holt", "config.toml"), { recursive: true });
    expect(refusal().message).toBe("not a file: config.toml");
    rmSync(join(root, "holt"), { recursive: true });
    write("config.toml", "#".repeat(2 * 1024 * 1024));
    expect(refusal().message).toBe(`configuration larger than ${256 * 1024} bytes: config.toml`);
  });
});

describe("Whether anything is configured", () => {
  test("depends on the directory and the names of the variables", () => {
    expect(isConfigured(env)).toBe(false);
    expect(isConfigured({ ...env, HOLT_LOG_LEVEL: "warn" })).toBe(true);
    write("config.toml", "");
    expect(isConfigured(env)).toBe(true);
  });

  test("the directory is that of XDG, else in the home directory; a relative XDG path is ignored", () => {
    expect(configDirectory({ XDG_CONFIG_HOME: "/x", HOME: "/h" })).toBe("/x/holt");
    expect(configDirectory({ XDG_CONFIG_HOME: "x", HOME: "/h" })).toBe("/h/.config/holt");
    expect(configDirectory({})).toBeNull();
    expect(isConfigured({})).toBe(false);
  });
});
