/** Acting on a session from outside: typing, resizing, signals, names, and its end. */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { processStatus } from "../../src/platform/processes.ts";
import { encodeJsonFrame, FRAME, PROTOCOL_VERSION } from "../../src/protocol/frames.ts";
import { isAlive } from "../chaos/processes.ts";
import { RawClient } from "../chaos/raw-client.ts";
import { size, until } from "../chaos/size.ts";
import { Bench, HOLT } from "../support/holt.ts";
import { TerminalUser } from "../support/terminal.ts";

async function start(bench: Bench, script: string, args: string[] = []): Promise<void> {
  expect(await bench.run(["start", "--session-id", "x", ...args, "--", "sh", "-c", script])).toMatchObject({
    exitCode: 0,
  });
}

async function ended(bench: Bench): Promise<void> {
  await until("it has ended", () => existsSync(join(bench.state, "sessions", "x", "final.json")));
}

const sees = (bench: Bench, text: string): Promise<void> =>
  until(`it prints ${text}`, () => bench.output("x").includes(text));

describe("holt send", () => {
  test("types text, and Enter, at the session's terminal", async () => {
    using bench = new Bench();
    await start(bench, 'read a; read b; echo "got $a, $b"');
    expect(await bench.run(["send", "x", "--text", "öne", "--enter"])).toMatchObject({
      text: "",
      stderr: "",
      exitCode: 0,
    });
    expect(await bench.run(["send", "x", "--json", "--text", "two", "--enter"])).toMatchObject({
      text: '{"bytes_written":4}\n',
    });
    await ended(bench);
    expect(bench.output("x").toString()).toBe("öne\r\ntwo\r\ngot öne, two\r\n");
  });

  test("brings a megabyte of any bytes from stdin to a command that reads late", async () => {
    using bench = new Bench();
    const bytes = crypto.getRandomValues(new Uint8Array(65_536));
    const all = Buffer.concat(Array.from({ length: 100 }, () => bytes));
    await start(bench, "until [ -e go ]; do sleep 0.02; done; head -c 6553600 | sha256sum", ["--no-pty"]);
    const sent = bench.run(["send", "x", "--stdin", "--json"], { stdin: all });
    await until("the holder has as much as it takes", () => bench.ids.length > 0);
    writeFileSync(join(bench.root, "go"), "");
    expect(await sent).toMatchObject({ text: '{"bytes_written":6553600}\n', exitCode: 0 });
    await ended(bench);
    expect(bench.output("x").toString()).toStartWith(new Bun.CryptoHasher("sha256").update(all).digest("hex"));
  });

  /** There was no way to tell a piped command that this was all: `sort` waited for ever. */
  test("ends a piped command's input after what is still on its way", async () => {
    using bench = new Bench();
    const bytes = crypto.getRandomValues(new Uint8Array(1_000_000));
    await start(bench, "until [ -e go ]; do sleep 0.02; done; sha256sum", ["--no-pty"]);
    const sent = await bench.run(["send", "x", "--stdin", "--eof", "--json"], { stdin: bytes });
    expect(sent).toMatchObject({ text: '{"bytes_written":1000000}\n', stderr: "", exitCode: 0 });
    expect(await bench.run(["send", "x", "--text", "more"])).toMatchObject({
      exitCode: 1,
      stderr: "holt: its stdin was closed by an end of file that was sent before\n",
    });
    writeFileSync(join(bench.root, "go"), "");
    await ended(bench);
    expect(bench.output("x").toString()).toStartWith(new Bun.CryptoHasher("sha256").update(bytes).digest("hex"));
  });

  test("ends a terminal's input with the key that it has for that", async () => {
    using bench = new Bench();
    await start(bench, "stty eof ^X; cat; echo over");
    await until("it reads", () => bench.meta("x").process !== null);
    expect(await bench.run(["wait", "x", "--until", "input"])).toMatchObject({ exitCode: 0 });
    expect(await bench.run(["send", "x", "--text", "a", "--enter", "--eof"])).toMatchObject({
      stderr: "",
      exitCode: 0,
    });
    await ended(bench);
    expect(bench.output("x").toString()).toBe("a\r\na\r\nover\r\n");
  });

  /** It said that its holder could not be reached, and how to make it listen again, though there was none any more. */
  test("tells that the session has ended while it was sent to, and how much it was sent", async () => {
    using bench = new Bench();
    await start(bench, "head -c 100000 >/dev/null", ["--no-pty"]);
    const { stderr, exitCode } = await bench.shell(`yes | "$HOLT" send x --stdin`);
    expect(exitCode).toBe(1);
    const said =
      /^holt: (?:session x has ended: it was sent (\d+) bytes before that|the command has closed its stdin)\n/;
    expect(stderr).toMatch(said);
    const written = said.exec(stderr)?.[1];
    if (written !== undefined) expect(Number(written)).toBeGreaterThan(0);
    await ended(bench);
  });

  test.each([
    [["send", "x"], "nothing to send"],
    [["send", "x", "--text", "a", "--stdin"], "too many things to send at once"],
    [["resize", "x", "80"], 'invalid size "80"'],
    [["signal", "x", "SIGITN"], 'unknown signal "SIGITN"'],
    [["rename", "x", "a\nb"], 'invalid name "a\\nb"'],
    [["stop", "x", "--grace", "never"], 'invalid --grace "never"'],
  ])("%j is refused with exit 2", async (args, message) => {
    using bench = new Bench();
    const { stderr, exitCode } = await bench.run(args);
    expect(exitCode).toBe(2);
    expect(stderr).toStartWith(`holt: ${message}`);
  });

  test.each([[["send", "x", "--text", "a"]], [["resize", "x", "80x24"]], [["signal", "x", "INT"]]])(
    "%j is refused for a session that has ended",
    async (args) => {
      using bench = new Bench();
      await start(bench, "true");
      await ended(bench);
      const { stderr, exitCode } = await bench.run(args);
      expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: "holt: session x has ended\n" });
    },
  );
});

describe("the terminal of a person", () => {
  const SCRIPT = 'echo ready; read line; echo "got $line"';

  test.each([
    [
      "is not typed into by others",
      [],
      1,
      "this session cannot be typed into: it is the terminal of whoever started it",
    ],
    ["is, when it was shared", ["--share"], 0, ""],
  ])("%s", async (_, args, code, message) => {
    using bench = new Bench();
    const argv = [HOLT, "run", "--session-id", "x", ...args, "--", "sh", "-c", SCRIPT];
    await using user = new TerminalUser(argv, { env: bench.env, cwd: bench.root });
    await user.sees("ready");
    const { stderr, exitCode } = await bench.run(["send", "x", "--text", "other", "--enter"]);
    expect(exitCode).toBe(code);
    expect(stderr).toStartWith(message === "" ? "" : `holt: ${message}`);
    expect(await bench.run(["resize", "x", "10x10"])).toMatchObject({ exitCode: 1 });
    if (code === 1) user.type("mine\n");
    await user.sees(code === 1 ? "got mine" : "got other");
    expect((await user.exit()).exitCode).toBe(0);
  });

  test("on pipes the command's stdin is its own", async () => {
    using bench = new Bench();
    const script = `"$HOLT" run --share --session-id x -- sh -c 'until [ -e go ]; do sleep 0.02; done' & until [ -e state/sessions/x/meta.json ]; do sleep 0.02; done
      "$HOLT" send x --text no; echo "code $?"; touch go; wait`;
    const { text, stderr } = await bench.shell(script);
    expect(text).toBe("code 1\n");
    expect(stderr).toContain("its command reads the stdin that it was started with");
  });
});

describe("holt resize, signal and rename", () => {
  test("a new size reaches the command and the events", async () => {
    using bench = new Bench();
    await start(bench, `trap 'stty size; exit' WINCH; echo ready; while :; do sleep 0.02; done`);
    await sees(bench, "ready");
    expect(await bench.run(["resize", "x", "99x33"])).toMatchObject({ stderr: "", exitCode: 0 });
    await ended(bench);
    expect(bench.output("x").toString()).toBe("ready\r\n33 99\r\n");
    expect(bench.events("x")).toContainEqual(expect.objectContaining({ type: "resize", cols: 99, rows: 33 }));
  });

  /** Only the names of common signals were known: `holt signal x 34` was "unknown". */
  test.each(["34", "RTMIN", "SIGRTMIN+0", "rtmax-30"])("the real-time signal %s reaches it", async (name) => {
    using bench = new Bench();
    await start(bench, "trap 'echo caught; exit 5' RTMIN; echo ready; while :; do sleep 0.02; done");
    await sees(bench, "ready");
    expect(await bench.run(["signal", "x", name])).toMatchObject({ stderr: "", exitCode: 0 });
    await ended(bench);
    expect(bench.final("x").exit_code).toBe(5);
  });

  test.each(["0", "32", "65", "RTMIN+31", "RTMIN-1", "RTMAX+1"])("there is no signal %s", async (name) => {
    using bench = new Bench();
    expect(await bench.run(["signal", "x", name])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(`unknown signal "${name}"`),
    });
  });

  test.each(["INT", "SIGINT", "int", "2"])(
    "the signal %s reaches the command's group, and is recorded",
    async (name) => {
      using bench = new Bench();
      await start(bench, "trap 'echo caught; exit 5' INT; echo ready; while :; do sleep 0.02; done");
      await sees(bench, "ready");
      expect(await bench.run(["signal", "x", name])).toMatchObject({ stderr: "", exitCode: 0 });
      await ended(bench);
      expect(bench.final("x").exit_code).toBe(5);
      expect(bench.events("x")).toContainEqual(
        expect.objectContaining({ type: "signal", signal: "SIGINT", sender: "client" }),
      );
    },
  );

  test("a session is found by its new name, and by none when that is taken away", async () => {
    using bench = new Bench();
    await start(bench, "until [ -e go ]; do sleep 0.02; done", ["--name", "old"]);
    expect(await bench.run(["rename", "old", "new"])).toMatchObject({ stderr: "", exitCode: 0 });
    expect(bench.meta("x").name).toBe("new");
    expect(await bench.run(["rename", "new", ""])).toMatchObject({ stderr: "", exitCode: 0 });
    expect(bench.meta("x").name).toBeNull();
    writeFileSync(join(bench.root, "go"), "");
    await ended(bench);
    expect(bench.meta("x").name).toBeNull();
  });
});

describe("holt stop and kill", () => {
  const TREE = `setsid sh -c 'echo $$ > escaped; exec sleep 60' & trap 'echo stopped; exit 4' TERM; until [ -s escaped ]; do sleep 0.02; done; echo ready; while :; do sleep 0.02; done`;

  test("stop asks the whole tree to end, and returns when it has", async () => {
    using bench = new Bench();
    await start(bench, TREE);
    await sees(bench, "ready");
    expect(await bench.run(["stop", "--json", "x"])).toMatchObject({
      text: '{"stopped":["x"],"already_ended":[]}\n',
      stderr: "",
      exitCode: 0,
    });
    expect(bench.final("x")).toMatchObject({ state: "exited", exit_code: 4, reason: "stop_requested" });
    expect(isAlive(Number(readFileSync(join(bench.root, "escaped"), "latin1")))).toBe(false);
    expect(await bench.run(["stop", "x"])).toMatchObject({ text: "", stderr: "", exitCode: 0 });
  });

  test("what does not end within the grace is killed", async () => {
    using bench = new Bench();
    await start(bench, "trap '' TERM; echo ready; while :; do sleep 0.02; done");
    await sees(bench, "ready");
    expect(await bench.run(["stop", "--grace", "100ms", "x"])).toMatchObject({ stderr: "", exitCode: 0 });
    expect(bench.final("x")).toMatchObject({ state: "signaled", signal: "SIGKILL", reason: "stop_requested" });
  });

  /** "0s" was refused as no positive duration. */
  test("a grace of nothing is SIGTERM, and SIGKILL at once", async () => {
    using bench = new Bench();
    await start(bench, "trap '' TERM; echo ready; while :; do sleep 0.02; done");
    await sees(bench, "ready");
    expect(await bench.run(["stop", "--grace", "0s", "x"])).toMatchObject({ stderr: "", exitCode: 0 });
    expect(bench.final("x")).toMatchObject({ state: "signaled", signal: "SIGKILL", reason: "stop_requested" });
    expect(bench.events("x")).toContainEqual(expect.objectContaining({ type: "stop", signal: "SIGTERM" }));
  });

  /** Found by a newcomer: the stop of a shell took the whole grace, because an interactive one ignores SIGTERM, and then killed it. */
  test.each(["bash --norc -i", "zsh -f -i"])(
    "an interactive shell (%s) is told that its terminal is gone",
    async (shell) => {
      using bench = new Bench();
      await start(bench, `exec ${shell}`);
      expect(await bench.run(["wait", "x", "--until", "input"])).toMatchObject({ exitCode: 0 });
      expect(await bench.run(["stop", "x", "--grace", "10m"])).toMatchObject({ stderr: "", exitCode: 0 });
      // zsh exits of its own accord, bash ends itself by the signal
      expect(bench.final("x").reason).toBe("stop_requested");
      expect(bench.final("x").signal).not.toBe("SIGKILL");
    },
  );

  test("kill does not ask", async () => {
    using bench = new Bench();
    await start(bench, TREE);
    await sees(bench, "ready");
    expect(await bench.run(["kill", "x"])).toMatchObject({ text: "", stderr: "", exitCode: 0 });
    expect(bench.final("x")).toMatchObject({ state: "signaled", signal: "SIGKILL", reason: "kill_requested" });
    expect(isAlive(Number(readFileSync(join(bench.root, "escaped"), "latin1")))).toBe(false);
  });

  test("what a killed holder left running is ended too", async () => {
    using bench = new Bench();
    await start(bench, "nohup sleep 300 >/dev/null 2>&1 & echo $! > left; exec sleep 300");
    await until("it has left something", () => existsSync(join(bench.root, "left")));
    process.kill(bench.meta("x").holder.pid, "SIGKILL");
    const left = Number(readFileSync(join(bench.root, "left"), "latin1"));
    await until("it is lost", () => !isAlive(bench.meta("x").holder.pid));
    expect(await bench.run(["stop", "x"])).toMatchObject({ text: "", stderr: "", exitCode: 0 });
    expect(isAlive(left)).toBe(false);
  });

  /**
   * Whoever carried the id was taken for a survivor, whichever state directory it belonged to: the stop of a lost session "x" ended every living
   * session "x" of the machine. Other tests failed of it, once in a thousand times.
   */
  test("a session of the same id in another state directory is left alone", async () => {
    using bench = new Bench();
    using other = new Bench();
    await start(bench, "nohup sleep 300 >/dev/null 2>&1 & echo $! > left; exec sleep 300");
    await start(
      other,
      "setsid sh -c 'echo $$ > escaped; exec sleep 300' & until [ -s escaped ]; do sleep 0.02; done; echo ready; wait",
    );
    await sees(other, "ready");
    await until("it has left something", () => existsSync(join(bench.root, "left")));
    process.kill(bench.meta("x").holder.pid, "SIGKILL");
    const left = Number(readFileSync(join(bench.root, "left"), "latin1"));
    await until("it is lost", () => !isAlive(bench.meta("x").holder.pid));
    expect(await bench.run(["stop", "x"])).toMatchObject({ text: "", stderr: "", exitCode: 0 });
    expect(isAlive(left)).toBe(false);
    const escaped = Number(readFileSync(join(other.root, "escaped"), "latin1"));
    expect([isAlive(other.meta("x").process?.pid ?? 0), isAlive(escaped)]).toEqual([true, true]);
    await other.run(["kill", "x"]);
  });

  /** Found by a breaker: the leader waited for a word that nobody said, and saw neither the SIGCONT nor the end. */
  test.each([
    [["signal", "x", "CONT"], "exited"],
    [["stop", "x"], "signaled"],
    [["kill", "x"], "signaled"],
  ])("a command that was halted with SIGSTOP is reached by %j", async (args, state) => {
    using bench = new Bench();
    // Nothing that starts others: a shell that is halted between its vfork and the child's exec is never seen halted.
    await start(bench, "echo ready; read go");
    await sees(bench, "ready");
    expect(await bench.run(["signal", "x", "STOP"])).toMatchObject({ exitCode: 0 });
    const pid = bench.meta("x").process?.pid ?? 0;
    await until("it is halted", () => processStatus(pid)?.state === "T");
    if (state === "exited") await bench.run(["send", "x", "--enter"]);
    expect(await bench.run(args)).toMatchObject({ stderr: "", exitCode: 0 });
    await ended(bench);
    expect(bench.final("x").state).toBe(state as "exited");
  });

  /** Found by a breaker: a stop in the first milliseconds was answered as if the session had ended, and it ran on. */
  test("a stop at any moment of a start ends the session", async () => {
    for (let round = 0; round < size(12, 400); round++) {
      using bench = new Bench();
      const starting = bench.run(["start", "--session-id", "x", "--", "sleep", "60"]);
      await until("there is something to stop", () => existsSync(join(bench.state, "sessions", "x", "meta.json")));
      await Bun.sleep(round % 4);
      expect(await bench.run(["stop", "x"])).toMatchObject({ stderr: "", exitCode: 0 });
      await starting;
      expect(bench.final("x")).toMatchObject({ state: "signaled", signal: "SIGTERM", reason: "stop_requested" });
    }
  });

  test("input for a command that has closed its stdin is refused", async () => {
    using bench = new Bench();
    await start(bench, "exec <&-; echo ready; until [ -e go ]; do sleep 0.02; done", ["--no-pty"]);
    await sees(bench, "ready");
    expect(await bench.run(["send", "x", "--text", "a"])).toMatchObject({
      exitCode: 1,
      stderr: "holt: the command has closed its stdin\n",
    });
    writeFileSync(join(bench.root, "go"), "");
    await ended(bench);
  });

  test("a stop of the holder itself ends its session with the same reason", async () => {
    using bench = new Bench();
    await start(bench, "echo ready; exec sleep 60");
    await sees(bench, "ready");
    process.kill(bench.meta("x").holder.pid, "SIGHUP");
    process.kill(bench.meta("x").holder.pid, "SIGTERM");
    await ended(bench);
    expect(bench.final("x")).toMatchObject({ state: "signaled", signal: "SIGTERM", reason: "stop_requested" });
  });
});

/** In a shared `holt run` only the emulator knows the modes, so keys were typed later than what was sent after them. */
test("what is sent after keys is typed after them, also where their modes must be asked for first", async () => {
  using bench = new Bench();
  const script = `stty raw -echo; printf ready; head -c 4 | od -An -c; read -r`;
  await using user = new TerminalUser([HOLT, "run", "--share", "--", "bash", "-c", script], {
    env: bench.env,
    cwd: bench.root,
  });
  await user.sees("ready");
  const socket = bench.meta().socket ?? "";
  const client = await RawClient.dial(socket);
  const request = (id: number, method: string, params: object): Uint8Array =>
    encodeJsonFrame(FRAME.request, { id, method, params });
  await client.say(
    encodeJsonFrame(FRAME.hello, { protocol: PROTOCOL_VERSION, holt_version: "test" }),
    request(1, "keys", { keys: ["a", "b"] }),
    request(2, "input", { data: btoa("cd") }),
  );
  await user.sees(/a\s+b\s+c\s+d/);
  client[Symbol.dispose]();
  user.type("\r");
});
