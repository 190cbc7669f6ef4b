import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { processStatus } from "../../src/platform/process/processes.ts";
import { isAlive } from "../chaos/processes.ts";
import { until } from "../chaos/size.ts";
import { Bench, HOLT } from "../support/holt.ts";
import { TerminalUser } from "../support/terminal.ts";

/** Starts it and answers its id; `args` stand before the `--`. */
async function start(bench: Bench, script: string, args: string[] = []): Promise<string> {
  const { text, stderr, exitCode } = await bench.run(["start", ...args, "--", "sh", "-c", script]);
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  return text.trim();
}

async function ended(bench: Bench, id: string): Promise<void> {
  await until(`${id} has ended`, () => existsSync(join(bench.state, "sessions", id, "final.json")));
  await until("its holder is gone", () => !isAlive(bench.meta(id).holder.pid));
}

const sees = (bench: Bench, id: string, text: string): Promise<void> =>
  until(`${id} prints ${text}`, () => bench.output(id).includes(text));

describe("holt start", () => {
  test("prints the id, and the session runs to its end without anybody", async () => {
    using bench = new Bench();
    const id = await start(bench, "stty size; sleep 0.2; echo done; exit 7", ["--name", "job"]);
    expect(bench.meta(id)).toMatchObject({
      name: "job",
      transport_mode: "posix-pty",
      tty_attached: false,
      shared: true,
    });
    await ended(bench, id);
    expect(bench.output(id).toString()).toBe("40 120\r\ndone\r\n");
    expect(bench.final(id)).toMatchObject({
      state: "exited",
      exit_code: 7,
      reason: "completed",
      output_complete: true,
    });
  });

  test("outlives the terminal that it was started from, and whoever started it", async () => {
    using bench = new Bench();
    await using user = new TerminalUser(
      [
        "bash",
        "-c",
        `"$HOLT" start --session-id x -- sh -c 'trap "" HUP; until [ -e go ]; do sleep 0.02; done; echo out'; sleep 60`,
      ],
      { env: { ...bench.env, HOLT }, cwd: bench.root },
    );
    await user.sees("x\r\n");
    const { holder, process: command } = bench.meta("x");
    user.hangUp();
    await user.exit();
    expect([isAlive(holder.pid), isAlive(command?.pid ?? 0)]).toEqual([true, true]);
    const status = processStatus(holder.pid);
    expect([status?.session, status?.group]).toEqual([holder.pid, holder.pid]);
    writeFileSync(join(bench.root, "go"), "");
    await ended(bench, "x");
    expect(bench.output("x").toString()).toBe("out\r\n");
  });

  test("gives the command the caller's directory, environment and umask, and keeps none of them itself", async () => {
    using bench = new Bench({ INHERITED: "yes", REPLACED: "no" });
    mkdirSync(join(bench.root, "there"));
    const script =
      'pwd; umask; echo "$INHERITED $REPLACED $ADDED $HOLT_SESSION_ID"; until [ -e ../go ]; do sleep 0.02; done';
    const line = `umask 027; "$HOLT" start --session-id x --no-pty -C there -e REPLACED=yes -e 'ADDED=a b=c' -- sh -c '${script}'`;
    expect(await bench.shell(line)).toMatchObject({ text: "x\n", stderr: "", exitCode: 0 });
    await sees(bench, "x", " x\n");
    expect(bench.output("x").toString()).toBe(`${bench.root}/there\n0027\nyes yes a b=c x\n`);
    const { holder } = bench.meta("x");
    const cwd = (await Bun.$`readlink /proc/${holder.pid}/cwd`.text()).trim();
    expect(cwd).toBe("/");
    expect(readFileSync(join(bench.state, "sessions", "x", "meta.json"), "utf8")).not.toContain("a b=c");
    writeFileSync(join(bench.root, "go"), "");
    await ended(bench, "x");
  });

  test("of a variable that is set twice the last counts, and the session's id is its own", async () => {
    using bench = new Bench({ HOLT_SESSION_ID: "outer" });
    const args = [
      "start",
      "--session-id",
      "x",
      "--no-pty",
      "-e",
      "A=1",
      "-e",
      "A=2",
      "--",
      "sh",
      "-c",
      "env | grep -E '^(A|HOLT_SESSION_ID)=' | sort",
    ];
    expect(await bench.run(args)).toMatchObject({ exitCode: 0 });
    await ended(bench, "x");
    expect(bench.output("x").toString()).toBe("A=2\nHOLT_SESSION_ID=x\n");
  });

  /** It ended with 1, which says that the command failed, or with a word of the kernel's that explained nothing. */
  test.each([8, 12, 16, 20])("with room for %d open files it says what is missing, and exits 125", async (files) => {
    using bench = new Bench();
    const { text, stderr, exitCode } = await bench.shell(`ulimit -n ${files}; exec "$HOLT" start --no-pty -- true`);
    expect({ text, exitCode }).toEqual({ text: "", exitCode: 125 });
    expect(stderr).toStartWith("holt: cannot start ");
    expect(stderr).toContain("EMFILE");
    expect(stderr).toContain("ulimit -n");
  });

  /** Both went through text, and a name in an old encoding became another: the directory was not found. */
  test("a directory and a variable that are no UTF-8 arrive as they are", async () => {
    using bench = new Bench();
    const line = `d=$(printf 'd\\351\\377'); mkdir "$d"; "$HOLT" start --session-id x --no-pty --cwd "$d" -e "K=v$d\u{1f980}" -- sh -c 'pwd; echo "$K"'
      cd "$d"; "$HOLT" start --session-id y --no-pty -C . -- pwd`;
    expect(await bench.shell(line)).toMatchObject({ text: "x\ny\n", stderr: "", exitCode: 0 });
    await ended(bench, "x");
    await ended(bench, "y");
    const directory = `${bench.root}/d\xe9\xff\n`;
    expect(bench.output("x").toString("latin1")).toBe(`${directory}vd\xe9\xff\xf0\x9f\xa6\x80\n`);
    expect(bench.output("y").toString("latin1")).toBe(directory);
  });

  /** A start from a nohup, or a script that ignored Ctrl-C, gave commands that no Ctrl-C and no hang-up ended. */
  test.each([[[]], [["--no-pty"]]])("what the caller ignores, its command does not: %j", async (args) => {
    using bench = new Bench();
    const line = `trap '' INT HUP TERM QUIT USR1 RTMIN; "$HOLT" start --session-id x ${args.join(" ")} -- grep SigIgn /proc/self/status`;
    expect(await bench.shell(line)).toMatchObject({ text: "x\n", stderr: "", exitCode: 0 });
    await ended(bench, "x");
    expect(bench.output("x").toString().trim()).toBe("SigIgn:\t0000000000000000");
  });

  test.each([
    ["a command that is nowhere", ["--", "nosuch-command"], 127, "command not found: nosuch-command"],
    [
      "a directory that is nowhere",
      ["--cwd", "/no/such/place", "--", "true"],
      126,
      "cannot enter the working directory /no/such/place",
    ],
    [
      "a file in its place",
      ["--cwd", "/etc/passwd", "--", "true"],
      126,
      "cannot enter the working directory /etc/passwd",
    ],
  ])("%s is told at once, and kept as failed", async (_, args, code, message) => {
    using bench = new Bench();
    const { text, stderr, exitCode } = await bench.run(["start", "--session-id", "x", ...args]);
    expect({ text, exitCode }).toEqual({ text: "", exitCode: code });
    expect(stderr).toStartWith(`holt: ${message}`);
    if (code === 126) expect(stderr).toContain("choose an existing directory, or create it first");
    expect(bench.final("x")).toMatchObject({ state: "failed", reason: "spawn_failed", exit_code: code });
  });

  test.each([
    [["--size", "0x5"], 'invalid size: "0x5"'],
    [["--size", "5"], 'invalid size: "5"'],
    [["--size", "5x5", "--no-pty"], "--size and --no-pty cannot be used together"],
    [["--env", "NOTHING"], 'invalid --env: "NOTHING"'],
    [["--session-id", "a/b"], 'invalid session id "a/b"'],
    [["--timeout", "soon"], 'invalid --timeout: "soon"'],
  ])("%j is refused with exit 2 and nothing is made", async (args, message) => {
    using bench = new Bench();
    const { text, stderr, exitCode } = await bench.run(["start", ...args, "--", "true"]);
    expect({ text, exitCode }).toEqual({ text: "", exitCode: 2 });
    expect(stderr).toStartWith(`holt: ${message}`);
    expect(existsSync(join(bench.state, "sessions"))).toBe(false);
  });

  test("an id that is taken is refused with exit 2", async () => {
    using bench = new Bench();
    await ended(bench, await start(bench, "true", ["--session-id", "x"]));
    const { stderr, exitCode } = await bench.run(["start", "--session-id", "x", "--", "true"]);
    expect({ exitCode, said: stderr.includes('session id "x" is taken') }).toEqual({ exitCode: 2, said: true });
  });

  test("what the command leaves running is ended with it, also what ignores SIGTERM or escaped by setsid", async () => {
    using bench = new Bench();
    const script = `sleep 60 & echo $! > a; setsid sh -c 'trap "" TERM; echo $$ > b; while :; do sleep 1; done' & until [ -s b ]; do sleep 0.02; done; exit 3`;
    const id = await start(bench, script);
    await ended(bench, id);
    expect(bench.final(id)).toMatchObject({ state: "exited", exit_code: 3 });
    for (const name of ["a", "b"]) expect(isAlive(Number(readFileSync(join(bench.root, name), "latin1")))).toBe(false);
  });

  /** The hint named 256, long after 100 were enough: whoever raised the limit to 100 was sent on for nothing. */
  test("with too few descriptors for a terminal, says so, and how many are enough", async () => {
    using bench = new Bench();
    const { text, stderr, exitCode } = await bench.shell(`ulimit -n 90; "$HOLT" start --session-id x -- true`);
    expect({ text, exitCode }).toEqual({ text: "", exitCode: 125 });
    expect(stderr).toStartWith("holt: cannot start true: EMFILE\n      `ulimit -n`");
    expect(stderr).toContain("on a terminal holt needs 100\n");
    expect(bench.final("x")).toMatchObject({ state: "failed", reason: "spawn_failed" });
  });

  /** It asked for numbers up to 246, whatever it had free: under a limit of 128, as some services and build hosts set it, no terminal started. */
  test.each([
    ["native", {}],
    ["without native code", { HOLT_NO_NATIVE: "1" }],
  ])("with 100 descriptors a terminal starts, %s", async (_, env) => {
    using bench = new Bench(env);
    const command = `-- sh -c 'tty -s; echo "$? $(ulimit -n)"; exit 3'`;
    const line = `ulimit -n 100; "$HOLT" start --session-id x ${command}`;
    expect(await bench.shell(line)).toMatchObject({ text: "x\n", stderr: "", exitCode: 0 });
    await ended(bench, "x");
    expect(bench.output("x").toString()).toBe("0 100\r\n");
    expect(bench.final("x")).toMatchObject({ state: "exited", exit_code: 3 });
  });

  /** The pipes that were made before there were no more kept the last word from being written: it looked lost. */
  test.each([14, 16, 18, 20, 22, 24, 26])(
    "with %i descriptors it starts, or is failed, or is not there",
    async (most) => {
      using bench = new Bench();
      const { exitCode } = await bench.shell(`ulimit -n ${most}; "$HOLT" start --session-id x --no-pty -- true`);
      if (existsSync(join(bench.state, "sessions", "x", "meta.json"))) {
        await ended(bench, "x");
        expect(bench.final("x").state).toBe(exitCode === 0 ? "exited" : "failed");
      } else expect(exitCode).not.toBe(0);
    },
  );

  test("--timeout ends it", async () => {
    using bench = new Bench();
    const id = await start(bench, "sleep 60", ["--timeout", "100ms"]);
    await ended(bench, id);
    expect(bench.final(id)).toMatchObject({ state: "signaled", signal: "SIGTERM", reason: "timeout" });
  });

  test("many at once are as many sessions", async () => {
    using bench = new Bench();
    const ids = await Promise.all(Array.from({ length: 20 }, (_, i) => start(bench, `echo ${i}; exit ${i}`)));
    expect(new Set(ids).size).toBe(20);
    for (const [i, id] of ids.entries()) {
      await ended(bench, id);
      expect([bench.output(id).toString(), bench.final(id).exit_code]).toEqual([`${i}\r\n`, i]);
    }
  });
});
