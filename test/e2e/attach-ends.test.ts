// Each of these was found by somebody who used it, or read it closely.
import { describe, expect, test } from "bun:test";
import { constants } from "node:os";
import { join } from "node:path";
import { endSession } from "../../src/client/sessions/end-session.ts";
import { LocalSessions } from "../../src/client/sessions/local-sessions.ts";
import { layoutAt } from "../../src/transcript/layout.ts";
import { until } from "../chaos/size.ts";
import { AttachBench, LEAVE, SIZE } from "../support/attach-bench.ts";
import { Bench, HOLT } from "../support/holt.ts";
import { TerminalUser } from "../support/terminal.ts";

/**
 * A holder waits 100 ms for whoever reads the last of its output; the client took its hanging up for the end of everything, and a terminal
 * that was slower than that never saw the last lines.
 */
test("a terminal that is slower than the session sees its last line all the same", async () => {
  using bench = new AttachBench();
  const id = await bench.start("read -r x; seq 1 150000; echo THE-LAST-LINE");
  await using user = bench.attach(id, ["--replay", "raw"]);
  await until("somebody is attached", () => bench.events(id).some(({ type }) => type === "attach"));
  process.kill(user.proc.pid, "SIGSTOP");
  await bench.run(["send", id, "--keys", "enter"]);
  await bench.run(["wait", id]);
  process.kill(user.proc.pid, "SIGCONT");
  expect(await user.exit()).toEqual({ exitCode: 0, signal: null });
  expect(user.text).toContain("\r\n150000\r\n");
  expect(user.text).toContain("THE-LAST-LINE");
  expect(user.text).toContain(`holt: ${id} exited 0`);
});

test("of much that it missed it sees the last screen", async () => {
  using bench = new AttachBench();
  const id = await bench.start("read -r x; seq 1 600000; echo THE-LAST-LINE");
  await using user = bench.attach(id);
  await until("somebody is attached", () => bench.events(id).some(({ type }) => type === "attach"));
  process.kill(user.proc.pid, "SIGSTOP");
  await bench.run(["send", id, "--keys", "enter"]);
  await bench.run(["wait", id]);
  process.kill(user.proc.pid, "SIGCONT");
  expect(await user.exit()).toEqual({ exitCode: 0, signal: null });
  expect(user.text).toContain("THE-LAST-LINE");
});

/** Margins, of which a soft reset says nothing to tmux, stayed behind: every later command was printed onto one row. */
test("margins that a program set are gone when one leaves, and the cursor stands where it stood", async () => {
  using bench = new AttachBench();
  const id = await bench.start("printf '\\033[5;10r\\033[2;1Hhere'; sleep 600");
  await using user = bench.attach(id);
  await user.sees("here");
  const from = user.text.length;
  user.type(LEAVE);
  expect(await user.exit()).toEqual({ exitCode: 0, signal: null });
  expect(user.text.slice(from)).toMatch(/\x1b7[^]*\x1b\[r[^]*\x1b8/);
  await bench.run(["kill", id]);
});

/** Of a command that is started again whoever was attached read that it had ended, and nothing else. */
test("who is attached to a command that is started again is told as what", async () => {
  using bench = new AttachBench();
  const id = await bench.start("echo ready; read -r x; exit 4", ["--restart", "always", "--restart-delay", "60s"]);
  await using user = bench.attach(id);
  await user.sees("ready");
  user.type("\r");
  expect(await user.exit()).toEqual({ exitCode: 0, signal: null });
  const [, next = ""] = /exited 4\r\n {6}it was restarted as (\w+): `holt attach \1`\r\n$/.exec(user.text) ?? [];
  expect(bench.ids).toContain(next);
  expect(await bench.run(["stop", next])).toMatchObject({ exitCode: 0 });
});

/** The kernel frees a killed holder's lock a moment after its socket: the session was still called running, and the exit code was 0. */
test("a holder that is killed is told as lost, with exit 1, every time", async () => {
  using bench = new AttachBench();
  for (let round = 0; round < 5; round++) {
    const id = await bench.start("echo ready; sleep 600");
    await using user = bench.attach(id);
    await user.sees("ready");
    process.kill(bench.meta(id).holder.pid, "SIGKILL");
    expect(await user.exit()).toEqual({ exitCode: 1, signal: null });
    expect(user.text).toContain(`holt: ${id} failed, holder lost`);
    await bench.run(["kill", id]);
  }
});

/** Found by somebody who set out to break it: until the holder had let it in, an attach that was hung up on or quit left the terminal raw. */
test.each(["SIGHUP", "SIGQUIT", "SIGTERM"] as const)(
  "%s before it is let in gives the terminal back",
  async (signal) => {
    using bench = new AttachBench();
    const id = await bench.start("echo ready; sleep 600");
    const { pid } = bench.meta(id).holder;
    const CANONICAL = 2;
    process.kill(pid, "SIGSTOP");
    try {
      await using user = bench.attach(id);
      await until("it has the terminal", () => (user.localFlags & CANONICAL) === 0);
      process.kill(user.proc.pid, signal);
      expect(await user.exit()).toMatchObject({ signal });
      expect(user.localFlags & CANONICAL).toBe(CANONICAL);
    } finally {
      process.kill(pid, "SIGCONT");
    }
    await bench.run(["kill", id]);
  },
);

/** Found by somebody who set out to break it: of what ends a process, four signals were thought of. The others left the terminal raw, and on the session's screen. */
test.each(["SIGUSR1", "SIGUSR2", "SIGALRM", "SIGXCPU", "SIGVTALRM", "SIGPROF", "SIGIO", "SIGSTKFLT"] as const)(
  "%s gives the terminal back",
  async (signal) => {
    using bench = new AttachBench();
    const id = await bench.start("printf '\\033[?1049h'; echo ready; sleep 600");
    const CANONICAL = 2;
    await using user = bench.attach(id);
    await user.sees("ready");
    await until("it has the terminal", () => (user.localFlags & CANONICAL) === 0);
    const from = user.text.length;
    process.kill(user.proc.pid, constants.signals[signal]);
    expect(await user.exit()).toMatchObject({ signal });
    expect(user.localFlags & CANONICAL).toBe(CANONICAL);
    expect(user.text.slice(from)).toContain("\x1b[?1049l");
    await bench.run(["kill", id]);
  },
);

describe("holt start --attach", () => {
  /** The size of a terminal has pixels too, which the daemon refused. */
  test("works through the daemon", async () => {
    using bench = Bench.withDaemon();
    await bench.run(["daemon"]);
    const words = [HOLT, "start", "-a", "--", "bash", "-c", "stty size; read -r line"];
    await using user = new TerminalUser(words, { env: bench.env, cwd: bench.root, cols: 91, rows: 19 });
    await user.sees("19 91");
    user.type(LEAVE);
    expect(await user.exit()).toEqual({ exitCode: 0, signal: null });
    await bench.run(["kill", bench.id]);
  });

  /** It was refused when the command had been started, which went on without anybody having been told its id. */
  test.each([
    ["without a terminal", [], "attach needs a terminal"],
    ["that is to be told as JSON", ["--json"], "cannot be used together"],
  ])("%s starts nothing", async (_, options, why) => {
    using bench = new AttachBench();
    const { exitCode, text, stderr } = await bench.run(["start", "--attach", ...options, "--", "sleep", "60"]);
    expect({ exitCode, isTold: (text + stderr).includes(why) }).toEqual({ exitCode: 2, isTold: true });
    expect(JSON.parse((await bench.run(["ls", "--all", "--json"])).text)).toMatchObject({ sessions: [] });
  });

  /** It hung for ever, with an error about a holder that had simply finished. */
  test("of a command that ends before one could be attached, says how it ended", async () => {
    using bench = new AttachBench();
    for (let round = 0; round < 5; round++) {
      const words = [HOLT, "start", "-a", "--", "sh", "-c", "echo out"];
      await using user = new TerminalUser(words, { env: bench.env, cwd: bench.root, ...SIZE });
      expect(await user.exit()).toEqual({ exitCode: 0, signal: null });
      expect(user.text).toContain("exited 0");
      expect(user.text).toContain("out");
    }
  });
});

describe("a wait for the screen", () => {
  test("takes nobody's place, is in no list, and survives a detach of everybody", async () => {
    using bench = new AttachBench();
    const id = await bench.start("echo ready; read -r x; echo SHOWN; sleep 600", ["--max-clients", "1"]);
    const waiting = bench.run(["wait", id, "--until", "screen=SHOWN", "--timeout", "30s"]);
    await using user = bench.attach(id);
    await user.sees("ready");
    const { text } = await bench.run(["clients", id, "--json"]);
    expect((JSON.parse(text) as { clients: unknown[] }).clients).toHaveLength(1);
    await bench.run(["detach", id]);
    await user.exit();
    await bench.run(["send", id, "--keys", "enter"]);
    expect(await waiting).toMatchObject({ exitCode: 0, text: "SHOWN\n" });
    await bench.run(["kill", id]);
  });

  test("sees the last screen of a session that has ended", async () => {
    using bench = new AttachBench();
    const id = await bench.start("echo compiled; true");
    await bench.run(["wait", id]);
    expect(await bench.run(["wait", id, "--until", "screen=compiled"])).toMatchObject({
      exitCode: 0,
      text: "compiled\n",
    });
    expect(await bench.run(["wait", id, "--until", "screen=never"])).toMatchObject({ exitCode: 3 });
  });
});

/** `holt send --eof` typed a Ctrl-D past whoever had the keyboard. */
test("the end of input is a key like any other where one alone may type", async () => {
  using bench = new AttachBench();
  const id = await bench.start("echo ready; cat; echo over; sleep 600", ["--input", "lease"]);
  await using user = bench.attach(id);
  await user.sees("ready");
  user.type("mine\r");
  await user.sees("mine\r\nmine");
  expect(await bench.run(["send", id, "--eof"])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("has the keyboard"),
  });
  expect(await bench.run(["send", id, "--eof", "--takeover"])).toMatchObject({ exitCode: 0 });
  await user.sees("over");
  await bench.run(["kill", id]);
});

/** A program that asks without end and never reads made its holder keep every answer: 15 MB a second. */
test("a program that asks and does not read is not answered for ever", async () => {
  using bench = new AttachBench();
  const asks = join(bench.root, "asks");
  await Bun.write(asks, "\x1b[c".repeat(100_000));
  const id = await bench.start(`stty raw -echo; for i in $(seq 100); do cat ${asks}; done; printf asked; sleep 600`);
  await bench.run(["wait", id, "--until", "match=asked", "--since", "0"]);
  const status = await Bun.file(`/proc/${bench.meta(id).holder.pid}/smaps_rollup`).text();
  const anonymous = Number(/^Anonymous:\s+(\d+)/m.exec(status)?.[1]);
  expect(anonymous).toBeLessThan(60 * 1024);
  await bench.run(["kill", id]);
});

/** A holder that was stopped answered nobody, and `holt kill` gave up after five seconds with advice that could not help. */
test("a session whose holder was stopped can be ended all the same", async () => {
  using bench = new AttachBench();
  const id = await bench.start("sleep 600");
  process.kill(bench.meta(id).holder.pid, "SIGSTOP");
  expect(await bench.run(["kill", id])).toMatchObject({ exitCode: 0 });
  expect(bench.final(id)).toMatchObject({ signal: "SIGKILL", reason: "kill_requested" });
});

/** Stopped a moment later, it had the question, and hung up on the one that came when it was continued: that was taken for a failure. */
test("also when it was stopped while it was asked", async () => {
  using bench = new AttachBench();
  const id = await bench.start("sleep 600");
  const ending = endSession(new LocalSessions(layoutAt(bench.state)), id, { method: "kill", params: {} });
  process.kill(bench.meta(id).holder.pid, "SIGSTOP");
  expect(await ending).toBe(true);
  expect(bench.final(id)).toMatchObject({ signal: "SIGKILL", reason: "kill_requested" });
});

/** A serial line, and some that only pretend to be a terminal, have no size: attach was refused in the words of the wire. */
test("a terminal that does not know its size is attached without a say in it", async () => {
  using bench = new AttachBench();
  const id = await bench.start("echo ready; sleep 600");
  const script = `stty cols 0 rows 0; exec "${HOLT}" attach ${id}`;
  await using user = new TerminalUser(["sh", "-c", script], { env: bench.env, cwd: bench.root, ...SIZE });
  await user.sees("ready");
  user.type(LEAVE);
  expect(await user.exit()).toEqual({ exitCode: 0, signal: null });
  await bench.run(["kill", id]);
});
