/**
 * A plain `holt start` is done in front of the runtime, which alone takes as long to load as tmux takes for a whole session (docs/adr/0027). Whatever is not plain
 * goes the runtime's way, and nobody sees a difference but in time.
 */
import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../chaos/size.ts";
import { end, understudies } from "../daemon/household.ts";
import { FakeDaemon } from "../support/fake-daemon.ts";
import { Bench } from "../support/holt.ts";
import { done, type Given, paramsIn, RUNTIME, startWay } from "./start-ways.ts";

describe("A plain start through the daemon", () => {
  test("loads no runtime, and the session is as it was asked for", async () => {
    using bench = Bench.withDaemon({ ODD: 'a\nb "c" \\ ä' });
    await ready(bench);
    mkdirSync(join(bench.root, "there"));
    const script = 'umask; pwd; printf "[%s]" "$ODD" "$@"; echo oops >&2';
    const words = ["", "a b", 'q"\\', "ä\n", "-x", "--"];
    const before = ["sh", "-c", 'umask 027; exec "$@"', "sh"];
    const args = ["--name", "job", "--no-pty", "--", "sh", "-c", script, "sh", ...words];
    const { way, text, stderr, exitCode } = await startWay(bench, args, { before, cwd: join(bench.root, "there") });
    expect({ way, stderr, exitCode }).toEqual({ way: "starter", stderr: "", exitCode: 0 });
    const id = text.trim();
    expect(bench.ids).toEqual([id]);
    await bench.run(["wait", id]);
    expect(bench.meta(id)).toMatchObject({ name: "job", argv: ["sh", "-c", script, "sh", ...words] });
    const { text: printed } = await bench.run(["logs", "--channel", "stdout", id]);
    expect(printed).toBe(`0027\n${bench.root}/there\n[${[bench.env["ODD"], ...words].join("][")}]`);
    expect(bench.output(id).toString()).toContain("oops\n");
    await end(bench);
  });

  test("is on a terminal, and the person's own", async () => {
    using bench = Bench.withDaemon();
    await ready(bench);
    const { way, text } = await startWay(bench, ["stty", "size"]);
    expect(way).toBe("starter");
    const id = text.trim();
    await bench.run(["wait", id]);
    expect(bench.output(id).toString()).toBe("40 120\r\n");
    expect(bench.meta(id)).toMatchObject({ started_by: null });
    await end(bench);
  });

  test("many at once are as many sessions", async () => {
    using bench = Bench.withDaemon();
    await bench.run(["daemon"]);
    const { text } = await bench.shell('for i in $(seq 40); do "$HOLT" start --no-pty -- true & done; wait');
    expect(text.trim().split("\n").toSorted()).toEqual(bench.ids);
    expect(bench.ids.length).toBe(40);
    await end(bench);
  });

  test("is refused as ever: `__started` is nothing to type", async () => {
    using bench = new Bench();
    for (const words of [[], ["x"], ["1:2rquqo3pomv0", "true"], ["7:../../x", "true"]]) {
      const { stderr, exitCode } = await bench.run(["__started", ...words]);
      expect({ exitCode, isUnknown: stderr.includes('unknown command "__started"') }).toEqual({
        exitCode: 2,
        isUnknown: true,
      });
    }
  });
});

describe("Whatever is not plain goes the runtime's way", () => {
  test.each([
    ["an option", ["--linger", "--", "true"]],
    ["an option behind the plain ones", ["--no-pty", "--linger", "--", "true"]],
    ["a short option", ["-C", "/", "--", "true"]],
    ["a name with a space", ["--name", "a b", "--", "true"]],
    ["a name beyond ASCII", ["--name=ä", "--", "true"]],
    ["a name that begins with a sign", ["--name=.a", "--", "true"]],
    ["a long name", ["--name", "n".repeat(65), "--", "true"]],
    ["two names", ["--name", "a", "--name", "b", "--", "true"]],
    ["--no-pty twice", ["--no-pty", "--no-pty", "--", "true"]],
    ["a word that is only a sign", ["-", "true"]],
  ])("%s", async (_, args) => {
    using bench = Bench.withDaemon();
    using daemon = new FakeDaemon(bench, done);
    expect(await startWay(bench, args)).toMatchObject({ way: "runtime", stderr: "", exitCode: 0 });
    expect(daemon.lines.length).toBe(1);
  });

  test.each([
    ["nothing to run", []],
    ["nothing behind --", ["--no-pty", "--"]],
    ["no name", ["--name"]],
    ["an empty name", ["--name=", "true"]],
    ["an unknown option", ["--nam", "x", "true"]],
    ["help", ["--help"]],
  ])("%s", async (_, args) => {
    using bench = Bench.withDaemon();
    using daemon = new FakeDaemon(bench, done);
    const { way, exitCode } = await startWay(bench, args);
    expect({ way, exitCode }).toEqual({ way: "runtime", exitCode: args[0] === "--help" ? 0 : 2 });
    expect(daemon.lines).toEqual([]);
  });

  test.each([
    ["a setting", { HOLT_MAX_CLIENTS: "3" }],
    ["any variable of holt's", { HOLT_SOMETHING: "" }],
    ["what the runtime itself reads", { BUN_OPTIONS: "--smol" }],
    ["what is loaded into every program", { LD_PRELOAD: "" }],
    ["a state directory with a dot in it", { HOLT_STATE_DIR: "ROOT/./state" }],
    ["one with a way back", { HOLT_STATE_DIR: "ROOT/x/../state" }],
    ["one that ends with a slash", { HOLT_STATE_DIR: "ROOT/state/" }],
    ["one with two slashes", { HOLT_STATE_DIR: "ROOT//state" }],
    ["a relative one", { HOLT_STATE_DIR: "state" }],
    ["a home that is not plain", { HOME: "ROOT/", XDG_CONFIG_HOME: "" }],
  ] as [string, Record<string, string>][])("%s", async (_, given) => {
    using bench = Bench.withDaemon();
    using daemon = new FakeDaemon(bench, done);
    const env = Object.fromEntries(
      Object.entries(given).map(([key, value]) => [key, value.replace("ROOT", bench.root)]),
    );
    expect(await startWay(bench, ["--", "true"], { env })).toMatchObject({ way: "runtime", stderr: "", exitCode: 0 });
    expect(daemon.lines.length).toBe(1);
  });

  test("a variable that is given twice", async () => {
    using bench = Bench.withDaemon();
    using daemon = new FakeDaemon(bench, done);
    const twice = ["python3", "-c", TWICE];
    expect(await startWay(bench, ["--", "true"], { before: twice })).toMatchObject({ way: "runtime", exitCode: 0 });
    expect(daemon.lines.length).toBe(1);
  });

  test("a state directory by XDG_STATE_HOME or HOME does not", async () => {
    const unset = { HOLT_STATE_DIR: "" };
    for (const [key, place] of [
      ["XDG_STATE_HOME", "holt"],
      ["HOME", ".local/state/holt"],
    ] as const) {
      using bench = Bench.withDaemon();
      mkdirSync(join(bench.root, "home", place), { recursive: true });
      symlinkSync(join(bench.root, "home", place), bench.state);
      using daemon = new FakeDaemon(bench, done);
      const env = { ...unset, XDG_STATE_HOME: "relative, and so none", [key]: join(bench.root, "home") };
      expect(await startWay(bench, ["--", "true"], { env })).toMatchObject({ way: "starter", exitCode: 0 });
      expect(daemon.lines.length).toBe(1);
    }
  });

  test("a configuration, even one that leads nowhere", async () => {
    using bench = Bench.withDaemon();
    using daemon = new FakeDaemon(bench, done);
    const configured = join(bench.env["XDG_CONFIG_HOME"] ?? "", "holt");
    mkdirSync(configured, { recursive: true });
    expect(await startWay(bench, ["--", "true"])).toMatchObject({ way: "runtime", exitCode: 0 });
    rmSync(configured, { recursive: true });
    symlinkSync("/nowhere", configured);
    expect(await startWay(bench, ["--", "true"])).toMatchObject({ way: "runtime", exitCode: 2 });
    rmSync(configured);
    mkdirSync(join(bench.root, ".config", "holt"), { recursive: true });
    expect(await startWay(bench, ["--", "true"])).toMatchObject({ way: "starter", exitCode: 0 });
    const home = { XDG_CONFIG_HOME: "relative, and so none", HOME: bench.root };
    expect(await startWay(bench, ["--", "true"], { env: home })).toMatchObject({ way: "runtime", exitCode: 0 });
    expect(daemon.lines.length).toBe(3); // the link is an error
  });

  test.each(['a "quote"', "a \\ sign", "ä", "a\nline", "t".repeat(120)])("the directory %j", async (name) => {
    using bench = Bench.withDaemon();
    using daemon = new FakeDaemon(bench, done);
    const cwd = join(bench.root, name);
    mkdirSync(cwd);
    const way = name.startsWith("t") ? "starter" : "runtime";
    expect(await startWay(bench, ["--", "true"], { cwd })).toMatchObject({ way, stderr: "", exitCode: 0 });
    expect(daemon.lines.map((line) => Buffer.from(String(paramsIn(line)["cwd"]), "latin1").toString())).toEqual([cwd]);
  });

  test("a directory that is gone is refused as ever", async () => {
    using bench = Bench.withDaemon();
    using _daemon = new FakeDaemon(bench, done);
    mkdirSync(join(bench.root, "gone"));
    const script = 'cd gone; rmdir "$PWD"; exec "$@"';
    const given: Given = { before: ["sh", "-c", script, "sh"] };
    const short = await startWay(bench, ["--", "true"], given);
    mkdirSync(join(bench.root, "gone"));
    const long = await startWay(bench, ["--", "true"], { ...given, env: RUNTIME });
    expect([short.way, short.stderr, short.exitCode]).toEqual(["runtime", long.stderr, long.exitCode]);
    expect(short.exitCode).not.toBe(0);
  });

  test("a path that is too long for a socket", async () => {
    using bench = Bench.withDaemon();
    const env = { HOLT_STATE_DIR: join(bench.root, "s".repeat(100)), HOLT_NO_DAEMON: "1" };
    const { way, exitCode } = await startWay(bench, ["--no-pty", "--", "true"], { env });
    expect({ way, exitCode }).toEqual({ way: "runtime", exitCode: 0 });
    const daemonless = { ...env, HOLT_NO_DAEMON: "" };
    expect(await startWay(bench, ["--help"], { env: daemonless })).toMatchObject({ way: "runtime", exitCode: 0 });
    await until("its holder is gone", () => bench.holders().length === 0);
  });

  /** It would be sent in parts, and half of a request is none. */
  test("a request that is more than a socket takes at once, and the daemon does it once", async () => {
    using bench = Bench.withDaemon();
    await bench.run(["daemon"]);
    const runs = join(bench.root, "runs");
    for (const bytes of [60_000, 90_000, 120_000]) {
      const env = { LARGE_1: "x".repeat(bytes), LARGE_2: "y".repeat(bytes) };
      const { exitCode, text } = await startWay(
        bench,
        ["--no-pty", "--", "sh", "-c", `echo "\${#LARGE_2}" >> ${runs}`],
        { env },
      );
      expect(exitCode).toBe(0);
      await bench.run(["wait", text.trim()]);
    }
    expect(await Bun.file(runs).text()).toBe("60000\n90000\n120000\n");
    expect(bench.ids.length).toBe(3);
    await end(bench);
  });

  test("no daemon: one is there for the next time", async () => {
    using bench = Bench.withDaemon();
    const first = await startWay(bench, ["--no-pty", "--", "true"]);
    expect(first).toMatchObject({ way: "runtime", stderr: "", exitCode: 0 });
    await bench.run(["wait", first.text.trim()]);
    await ready(bench);
    expect(await startWay(bench, ["--no-pty", "--", "true"])).toMatchObject({ way: "starter", exitCode: 0 });
    await end(bench);
  });

  test("a socket that nobody listens at, and a file in its place", async () => {
    using bench = Bench.withDaemon();
    await bench.run(["daemon"]);
    bench.killDaemon();
    await until("it is gone", () => bench.daemonPid === null);
    expect(existsSync(join(bench.state, "run", "daemon.sock"))).toBe(true);
    expect(await startWay(bench, ["--no-pty", "--", "true"])).toMatchObject({
      way: "runtime",
      stderr: "",
      exitCode: 0,
    });
    await end(bench);
    rmSync(join(bench.state, "run", "daemon.sock"), { force: true });
    writeFileSync(join(bench.state, "run", "daemon.sock"), "");
    expect(await startWay(bench, ["--no-pty", "--", "true"])).toMatchObject({ way: "runtime", exitCode: 0 });
    await end(bench);
  });
});

/** A daemon whose holders wait: one that has yet to make them may take longer than the starter has patience. */
async function ready(bench: Bench): Promise<void> {
  await bench.run(["daemon"]);
  await understudies(bench);
}

const TWICE = `
import ctypes, os, sys
libc = ctypes.CDLL(None)
argv = (ctypes.c_char_p * len(sys.argv))(*[os.fsencode(word) for word in sys.argv[1:]], None)
entries = [key + b"=" + value for key, value in os.environb.items()] + [b"HOME=" + os.environb[b"HOME"]]
libc.execvpe(argv[0], argv, (ctypes.c_char_p * (len(entries) + 1))(*entries, None))`;
