/** Typing at a session from outside, and at a shared one from both sides. */
import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { encodeJsonFrame, FRAME, PROTOCOL_VERSION } from "../../src/protocol/wire/frames.ts";
import { RawClient } from "../chaos/raw-client.ts";
import { until } from "../chaos/size.ts";
import { Bench, HOLT } from "../support/holt.ts";
import { TerminalUser } from "../support/terminal.ts";
import { ended, start } from "./driven.ts";

describe("holt send", () => {
  /** It was written up to a tenth of a second after the last word about the session, and a page that looked when it heard of the end never told of it. */
  test("is on record before the end that it brought about", async () => {
    using bench = new Bench();
    await start(bench, "read a; exit 4");
    await bench.run(["send", "x", "--text", "now", "--enter"]);
    await ended(bench);
    const told = bench.events("x").map(({ type, to }) => (type === "state" ? to : type));
    expect(told.slice(-2)).toEqual(["input", "exited"]);
  });

  /** It was told with the time of that line, two seconds later, and stood behind what it had brought about. */
  test("is on record with the time and the place at which it began", async () => {
    using bench = new Bench();
    await start(bench, "echo ready; read a; echo got; sleep 0.2");
    await until("it reads", () => bench.output("x").includes("ready"));
    const before = Date.now();
    await bench.run(["send", "x", "--text", "now", "--enter"]);
    const after = Date.now();
    await ended(bench);
    const typed = bench.events("x").find(({ type }) => type === "input");
    expect(typed).toMatchObject({ cursor: "ready\r\n".length, bytes: 4 });
    expect(Date.parse(String(typed?.["since"]))).toBeWithin(before, after + 1);
  });

  test("types text, and Enter, at the session's terminal", async () => {
    using bench = new Bench();
    await start(bench, 'read a; read b; echo "got $a, $b"');
    expect(await bench.run(["send", "x", "--text", "öne", "--enter"])).toMatchObject({
      text: "",
      stderr: "",
      exitCode: 0,
    });
    expect(await bench.run(["send", "x", "--json", "--text", "two", "--enter"])).toMatchObject({
      text: expect.stringMatching(/^\{"bytes_written":4,"next_cursor":"\d+"\}\n$/),
    });
    await ended(bench);
    expect(bench.output("x").toString()).toBe("öne\r\ntwo\r\ngot öne, two\r\n");
  });

  /** It was a carriage return there, too: nothing makes a newline of that, and whoever reads lines waited for ever. */
  test("ends a line on pipes as well, by --enter and by the key", async () => {
    using bench = new Bench();
    await start(bench, 'read a; read b; echo "got $a, $b"', ["--no-pty"]);
    expect(await bench.run(["send", "x", "--text", "one", "--enter"])).toMatchObject({ stderr: "", exitCode: 0 });
    expect(await bench.run(["send", "x", "--text", "two", "--keys", "enter"])).toMatchObject({
      stderr: "",
      exitCode: 0,
    });
    await ended(bench);
    expect(bench.output("x").toString()).toBe("got one, two\n");
  });

  test("brings a megabyte of any bytes from stdin to a command that reads late", async () => {
    using bench = new Bench();
    const bytes = crypto.getRandomValues(new Uint8Array(65_536));
    const all = Buffer.concat(Array.from({ length: 100 }, () => bytes));
    await start(bench, "until [ -e go ]; do sleep 0.02; done; head -c 6553600 | sha256sum", ["--no-pty"]);
    const sent = bench.run(["send", "x", "--stdin", "--json"], { stdin: all });
    await until("the holder has as much as it takes", () => bench.ids.length > 0);
    writeFileSync(join(bench.root, "go"), "");
    expect(await sent).toMatchObject({ text: '{"bytes_written":6553600,"next_cursor":"0"}\n', exitCode: 0 });
    await ended(bench);
    expect(bench.output("x").toString()).toStartWith(new Bun.CryptoHasher("sha256").update(all).digest("hex"));
  });

  /** Above 512 KiB it was `invalid data "eHh4…"`, above 768 `frame of 1333400 bytes`: how a message travels, and nothing about the file. */
  test("pastes a file of up to two megabytes at once, between one pair of brackets, and says of a bigger one how big it is", async () => {
    using bench = new Bench();
    const most = 2 * 1024 * 1024;
    const [file, big] = ["file", "big"].map((name) => join(bench.root, name)) as [string, string];
    writeFileSync(file, "x".repeat(most));
    writeFileSync(big, "x".repeat(most + 1));
    await start(bench, `stty raw -echo; printf '\\033[?2004hready'; head -c ${most + 12} | tr -d x | od -An -c`);
    await until("it asked for brackets", () => bench.output("x").includes("ready"));
    expect(await bench.run(["send", "x", "--paste", big])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/^holt: \S+big is too large to paste: 2097153 bytes, at most 2097152 \(2 MiB\)\n/),
    });
    expect(await bench.run(["send", "x", "--paste", file])).toMatchObject({ stderr: "", exitCode: 0 });
    await ended(bench);
    expect(bench.output("x").toString().replace(/\s+/g, " ")).toContain("033 [ 2 0 0 ~ 033 [ 2 0 1 ~");
  });

  /** It said that nobody answered, and the text was typed when the holder went on: whoever had sent it again had sent it twice. */
  test("says that what it sent may still be typed, when the holder took it and did not answer", async () => {
    using bench = new Bench();
    await start(bench, 'read a; echo "got $a"');
    const { pid } = bench.meta("x").holder;
    process.kill(pid, "SIGSTOP");
    try {
      expect(await bench.run(["send", "x", "--text", "late", "--enter"])).toMatchObject({
        exitCode: 1,
        stderr: expect.stringMatching(/the input may have been typed, or may be later\n +do not just send it again/),
      });
    } finally {
      process.kill(pid, "SIGCONT");
    }
    await ended(bench);
    expect(bench.output("x").toString()).toContain("got late");
  });

  /** There was no way to tell a piped command that this was all: `sort` waited for ever. */
  test("ends a piped command's input after what is still on its way", async () => {
    using bench = new Bench();
    const bytes = crypto.getRandomValues(new Uint8Array(1_000_000));
    await start(bench, "until [ -e go ]; do sleep 0.02; done; sha256sum", ["--no-pty"]);
    const sent = await bench.run(["send", "x", "--stdin", "--eof", "--json"], { stdin: bytes });
    expect(sent).toMatchObject({ text: '{"bytes_written":1000000,"next_cursor":"0"}\n', stderr: "", exitCode: 0 });
    expect(await bench.run(["send", "x", "--text", "more"])).toMatchObject({
      exitCode: 1,
      stderr: "holt: stdin is closed: an end of file was sent before\n",
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
    [["send", "x", "--text", "a", "--stdin"], "too many inputs"],
    [["resize", "x", "80"], 'invalid size: "80"'],
    [["signal", "x", "SIGITN"], 'unknown signal: "SIGITN"'],
    [["rename", "x", "a\nb"], 'invalid name "a\\nb"'],
    [["stop", "x", "--grace", "never"], 'invalid --grace: "never"'],
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
      const next = "`holt logs x` shows what it printed; `holt start` starts another";
      expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: `holt: session x has ended\n      ${next}\n` });
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
      "this session cannot be typed into: its terminal belongs to the user who started it",
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
    // It was told that --share lets others type, which it had given.
    expect(stderr).toContain("`holt run --share` has no effect on pipes");
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
