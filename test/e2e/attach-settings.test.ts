/** What may be set about attaching: on the command line, and in the environment. */
import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../chaos/size.ts";
import { configure } from "../config/configure.ts";
import { withDaemon } from "../daemon/household.ts";
import { AttachBench, LEAVE, SIZE } from "../support/attach-bench.ts";
import { HOLT } from "../support/holt.ts";
import { TerminalUser } from "../support/terminal.ts";

const FLOOD = "until [ -e go ]; do sleep 0.02; done; yes 'a line of some length, again and again'";

describe("a client that takes nothing", () => {
  test("is let go after the time that was set, or kept and brought up to date", async () => {
    using bench = new AttachBench();
    const kept = await bench.start(`${FLOOD} | head -c 30000000; echo; echo caught up; sleep 60`, [
      "--slow-client",
      "resync",
      "--slow-client-after",
      "1ms",
    ]);
    const closed = await bench.start(FLOOD, ["--slow-client-after", "1s"]);
    await using patient = bench.attach(kept);
    await using other = bench.attach(closed);
    await bench.attached(kept, 1);
    await bench.attached(closed, 1);
    // The first is stopped for longer than the second by the time that this one is let go.
    for (const user of [patient, other]) process.kill(user.proc.pid, "SIGSTOP");
    writeFileSync(join(bench.root, "go"), "");
    await until("the other is let go", () =>
      bench.events(closed).some(({ type, reason }) => type === "detach" && reason === "slow"),
    );
    expect(await bench.clients(kept)).toHaveLength(1);
    process.kill(patient.proc.pid, "SIGCONT");
    await patient.sees("caught up");
    expect(bench.events(kept).filter(({ type }) => type === "detach")).toEqual([]);
    process.kill(other.proc.pid, "SIGCONT");
    await bench.end(kept, closed);
  });

  test("is let go after the time that is configured, whoever started the session", async () => {
    await withDaemon(async (client, bench) => {
      configure(bench, "pty.slow_client_ms = 1000");
      const byHand = ["start", "--session-id", "by-hand", "--", "bash", "-c", FLOOD];
      expect(await bench.run(byHand)).toMatchObject({ exitCode: 0 });
      const argv = ["bash", "-c", FLOOD];
      await client.call("session.start", { session_id: "by-call", argv, cwd: bench.root });
      for (const id of ["by-hand", "by-call"]) {
        await using user = new TerminalUser([HOLT, "attach", id], { env: bench.env, cwd: bench.root, ...SIZE });
        await until("it is attached", () => bench.events(id).some(({ type }) => type === "attach"));
        process.kill(user.proc.pid, "SIGSTOP");
        writeFileSync(join(bench.root, "go"), "");
        await until("it is let go", () => bench.events(id).some(({ reason }) => reason === "slow"));
        process.kill(user.proc.pid, "SIGCONT");
        await client.call("session.kill", { session_id: id });
      }
    });
  });

  test("session.start takes both", async () => {
    await withDaemon(async (client) => {
      const params = { argv: ["true"], slow_client: "resync" as const, slow_client_ms: 1 };
      expect(await client.call("session.start", params)).toMatchObject({ state: "running" });
    });
  });
});

describe("the clipboard", () => {
  /** Written, and asked for: the answer would be typed into the program. */
  const WRITES = `until [ -e go ]; do sleep 0.02; done; printf '\\033]52;c;aG9sdA==\\007\\033]52;c;?\\007done\\n'; sleep 60`;
  const WRITTEN = "\x1b]52;c;aG9sdA==";
  const smaller = { cols: 60, rows: 20 };

  test.each([
    ["is not written to", { args: [], env: {}, size: SIZE, isWritten: false }],
    ["is, where that is allowed", { args: ["--allow-clipboard"], env: {}, size: SIZE, isWritten: true }],
    ["by the configuration", { args: [], env: { HOLT_TERMINAL_CLIPBOARD: "true" }, size: SIZE, isWritten: true }],
    ["by a variable, too", { args: [], env: { HOLT_ALLOW_CLIPBOARD: "1" }, size: SIZE, isWritten: true }],
    [
      "on a terminal of another size",
      { args: ["--allow-clipboard", "--size", "ignore"], env: {}, size: smaller, isWritten: true },
    ],
    ["and not on that without", { args: ["--size", "ignore"], env: {}, size: smaller, isWritten: false }],
  ] as const)("%s", async (_, { args, env, size, isWritten }) => {
    using bench = new AttachBench();
    const id = await bench.start(WRITES);
    await using user = new TerminalUser([HOLT, "attach", ...args, id], {
      env: { ...bench.env, ...env },
      cwd: bench.root,
      ...size,
    });
    await bench.attached(id, 1);
    writeFileSync(join(bench.root, "go"), "");
    await user.sees("done");
    expect(user.text.includes(WRITTEN)).toBe(isWritten);
    expect(user.text).not.toContain("52;c;?");
    await bench.end(id);
  });
});

describe("the last output as it was printed", () => {
  test.each([
    [["--scrollback-bytes", "1K"], {}],
    [[], { HOLT_SCROLLBACK_BYTES: "1024" }],
    [[], { HOLT_PTY_SCROLLBACK_BYTES: "1024" }],
    [[], { HOLT_SCROLLBACK_BYTES: "1024", HOLT_PTY_SCROLLBACK_BYTES: "4194304" }],
    [["--scrollback-bytes", "1024"], { HOLT_SCROLLBACK_BYTES: "1M" }],
  ] as const)("is as much as was set: %j %j", async (args, env) => {
    using bench = new AttachBench();
    const id = await bench.start("seq 10000 19999; echo all; sleep 60");
    await until("it has printed", () => bench.output(id).includes("all"));
    await using user = new TerminalUser([HOLT, "attach", "--replay", "raw", ...args, id], {
      env: { ...bench.env, ...env },
      cwd: bench.root,
      ...SIZE,
    });
    await user.sees("all");
    expect(user.text).toContain("19990");
    expect(user.text).not.toContain("19800"); // 7 bytes a line
    await bench.end(id);
  });
});

test("--since goes on at a cursor, with not a byte twice and none missing", async () => {
  using bench = new AttachBench();
  const id = await bench.start("echo first; echo second; until [ -e go ]; do sleep 0.02; done; echo third; sleep 60");
  await until("it has printed", () => bench.output(id).includes("second"));
  await using user = bench.attach(id, ["--since", String(bench.output(id).indexOf("second"))]);
  await user.sees("second");
  writeFileSync(join(bench.root, "go"), "");
  await user.sees("third");
  expect(user.text).toStartWith("second\r\nthird\r\n");
  expect(await bench.run(["attach", id, "--since", "0", "--replay", "raw"])).toMatchObject({
    exitCode: 2,
    stderr: "holt: --since and --replay cannot be used together\n      both select what is shown first\n",
  });
  await bench.end(id);
});

test("the keys to leave with may be one's own", async () => {
  using bench = new AttachBench();
  const id = await bench.start("stty raw -echo; echo up; cat");
  await using user = new TerminalUser([HOLT, "attach", id], {
    env: { ...bench.env, HOLT_DETACH_KEYS: "ctrl-b,x" },
    cwd: bench.root,
    ...SIZE,
  });
  await user.sees("up");
  user.type(`${LEAVE}\x02x`);
  expect((await user.exit()).exitCode).toBe(0);
  expect(user.text).toContain("detached from");
  await until("what is no way to leave has arrived", () => bench.output(id).includes(LEAVE));
  await bench.end(id);
});

test.each([
  [{ HOLT_MAX_CLIENTS: "many" }, ["start", "--", "true"], "use a number of clients, e.g. 8"],
  [{ HOLT_SLOW_CLIENT: "wait" }, ["start", "--", "true"], "use close or resync"],
  [{ HOLT_SLOW_CLIENT_AFTER: "10" }, ["start", "--", "true"], "use a positive duration, e.g. 10s"],
] as const)("a variable that says nothing sensible is named: %j", async (env, args, hint) => {
  using bench = new AttachBench();
  const [[name, value] = []] = Object.entries(env);
  expect(await bench.run(args, { env })).toMatchObject({
    exitCode: 2,
    stderr: `holt: invalid ${name}: "${value}"\n      ${hint}\n`,
  });
});

test("HOLT_MAX_CLIENTS counts where nothing else was said", async () => {
  using bench = new AttachBench({ HOLT_MAX_CLIENTS: "0" });
  const none = await bench.start("sleep 60");
  const one = await bench.start("sleep 60", ["--max-clients", "1"]);
  await using refused = bench.attach(none);
  expect((await refused.exit()).exitCode).toBe(1);
  expect(refused.text).toContain("client limit reached: 0");
  await using _user = bench.attach(one);
  await bench.attached(one, 1);
  await bench.end(none, one);
});
