/** `holt logs`: text, bytes and JSON, gaps, and following. */
import { describe, expect, test } from "bun:test";
import { CommandLine } from "./command-line.ts";

const EVERY_BYTE = Uint8Array.from({ length: 256 }, (_, byte) => byte);
const EVIL = "\x1b]0;owned\x07\x1b[31mred\x1b[0m\x1b[5n\r\n 10%\r100%\r\n";

describe("Output", () => {
  test("In a pipe, and with --raw, the bytes are unchanged.", async () => {
    using line = new CommandLine();
    line.ended("all", { output: [EVERY_BYTE, EVIL] });
    const bytes = Buffer.concat([EVERY_BYTE, Buffer.from(EVIL)]);
    expect(Buffer.from((await line.run(["logs", "all"])).stdout)).toEqual(bytes);
    expect(Buffer.from((await line.run(["logs", "--raw", "all"])).stdout)).toEqual(bytes);
    line.ended("evil", { output: [EVIL] });
    expect(await line.seen(["logs", "--raw", "evil"])).toContain("\x1b[31mred");
  });

  test("On a terminal, and with --text, the output is text without escape sequences.", async () => {
    using line = new CommandLine();
    line.ended("evil", { output: [EVIL] });
    expect(await line.seen(["logs", "evil"])).toBe("red\n100%\n");
    expect((await line.run(["logs", "--text", "evil"])).text).toBe("red\n100%\n");
  });

  test("--text prints no control characters.", async () => {
    using line = new CommandLine();
    const noise = Uint8Array.from({ length: 200_000 }, (_, index) => (index * 2_654_435_761) >>> 13);
    line.ended("noise", { output: [EVERY_BYTE, noise, "\x1b[", EVERY_BYTE, "\x9b", noise.toReversed()] });
    const { text } = await line.run(["logs", "--text", "noise"]);
    expect(text.length).toBeGreaterThan(10_000);
    expect(text).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
  });

  test("--json prints one object per chunk; bytes and cursors add up.", async () => {
    using line = new CommandLine();
    line.ended("two", { output: ["out\n", { channel: "stderr", bytes: "err\xff\n" }] });
    const chunks = (await line.run(["logs", "--json", "two"])).text
      .trimEnd()
      .split("\n")
      .map((text) => JSON.parse(text) as Record<string, string>);
    expect(chunks.map(({ cursor, channel, data }) => ({ cursor, channel, data }))).toEqual([
      { cursor: "0", channel: "stdout", data: Buffer.from("out\n").toBase64() },
      { cursor: "4", channel: "stderr", data: Buffer.from("err\xff\n").toBase64() },
    ]);
    expect(chunks[0]?.["timestamp"]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  test("Both channels are printed in the order of capture, or only the selected one.", async () => {
    using line = new CommandLine();
    line.ended("two", { output: ["a\n", { channel: "stderr", bytes: "b\n" }, "c\n"] });
    expect(await line.run(["logs", "two"])).toMatchObject({ text: "a\nb\nc\n", stderr: "" });
    expect((await line.run(["logs", "--channel", "stderr", "two"])).text).toBe("b\n");
    expect((await line.run(["logs", "--channel=stdout", "--text", "two"])).text).toBe("a\nc\n");
  });

  test("As text, an incomplete line of one channel is not split by the other.", async () => {
    using line = new CommandLine();
    line.ended("two", { output: ["\x1b[3", { channel: "stderr", bytes: "warning\n" }, "1mred"] });
    expect((await line.run(["logs", "--text", "two"])).text).toBe("warning\nred");
  });

  test("--tail starts at the last lines, --since at a cursor, both at the later of the two.", async () => {
    using line = new CommandLine();
    line.ended("lines", { output: ["one\ntwo\n", "three\nfour\n"] });
    const logs = async (...args: string[]) => (await line.run(["logs", ...args, "lines"])).text;
    expect(await logs("--tail", "2")).toBe("three\nfour\n");
    expect(await logs("-n1")).toBe("four\n");
    expect(await logs("--tail", "0")).toBe("");
    expect(await logs("--tail", "99")).toBe("one\ntwo\nthree\nfour\n");
    expect(await logs("--since", "4")).toBe("two\nthree\nfour\n");
    expect(await logs("--since", "9", "--tail", "3")).toBe("hree\nfour\n");
    expect(await logs("--since", "1000")).toBe("");
  });

  test("A gap is reported on stderr in one line.", async () => {
    using line = new CommandLine();
    line.ended("cut", { output: ["0123456789", "abcdefghij"], maxBytes: 12 });
    expect(await line.run(["logs", "cut"])).toMatchObject({
      text: "0123456789ab",
      stderr: "holt: 8 bytes from cursor 12 on were not kept\n",
      exitCode: 0,
    });
    const json = await line.run(["logs", "--json", "cut"]);
    expect(JSON.parse(json.stderr)).toEqual({ gap: { from: "12", to: "20" } });
  });

  /**
   * The line that a gap cut was printed after the note about the gap.
   */
  test("A gap is reported below the line that it cuts.", async () => {
    using line = new CommandLine();
    line.ended("cut", { output: ["one\ntw", "o\nthree\n"], maxBytes: 6 });
    const told = "holt: 8 bytes from cursor 6 on were not kept\n";
    for (const args of [[], ["--raw"], ["--tail", "2"], ["-f"]])
      expect(await line.seen(["logs", ...args, "cut"], { env: { NO_COLOR: "1" } })).toBe(`one\ntw\n${told}`);
    expect(await line.run(["logs", "--text", "cut"])).toMatchObject({ text: "one\ntw\n", stderr: told });
    expect(await line.run(["logs", "cut"])).toMatchObject({ text: "one\ntw", stderr: told });
    const { text: page } = await line.run(["export", "--format", "html", "cut"]);
    expect(page).toContain('one\ntw\n<span class="gap">8 bytes from cursor 6 on were not kept</span>\n</pre>');
    expect(await line.run(["export", "--format", "text", "cut"])).toMatchObject({ text: "one\ntw\n" });
  });

  test("A gap is reported when reading starts inside it.", async () => {
    using line = new CommandLine();
    line.ended("cut", { output: ["0123456789", "abcdefghij"], maxBytes: 12 });
    for (const follow of [[], ["-f"]]) {
      for (const since of [12, 15]) {
        const args = ["logs", ...follow, "--since", String(since), "cut"];
        const stderr = `holt: ${20 - since} bytes from cursor ${since} on were not kept\n`;
        expect(await line.run(args)).toMatchObject({ text: "", stderr, exitCode: 0 });
        const json = await line.run([...args, "--json"]);
        expect([json.text, JSON.parse(json.stderr)]).toEqual(["", { gap: { from: String(since), to: "20" } }]);
      }
      expect(await line.run(["logs", ...follow, "--since", "20", "cut"])).toMatchObject({ text: "", stderr: "" });
    }
  });

  test("A running session is printed up to now.", async () => {
    using line = new CommandLine();
    using web = line.running("web");
    web.print("so far\n");
    expect(await line.run(["logs", "web"])).toMatchObject({ text: "so far\n", exitCode: 0 });
  });

  test("--raw with --text is refused.", async () => {
    using line = new CommandLine();
    line.ended("x1");
    expect(await line.run(["logs", "--raw", "--text", "x1"])).toMatchObject({
      exitCode: 2,
      stderr: "holt: --raw, --text and --json cannot be used together\n      see `holt help logs`\n",
    });
  });
});

/**
 * `--since` past the end and a channel that a session has not printed nothing and exited 0, as if
 * the command had been quiet.
 */
describe("Nothing to print", () => {
  test("A cursor past the end is reported on stderr.", async () => {
    using line = new CommandLine();
    line.ended("k3f9q2", { output: ["0123456789"], meta: { name: "build" } });
    line.ended("cut", { output: ["0123456789", "abcdefghij"], maxBytes: 12 });
    for (const follow of [[], ["-f"]]) {
      const since = async (cursor: number, id: string, ...more: string[]) =>
        line.run(["logs", ...follow, "--since", String(cursor), id, ...more]);
      const said = { text: "", stderr: "holt: session build ends at cursor 10\n", exitCode: 0 };
      expect(await since(9999, "build")).toMatchObject(said);
      expect(await since(11, "build", "--channel", "stderr")).toMatchObject(said);
      expect(await since(10, "build")).toMatchObject({ text: "", stderr: "", exitCode: 0 });
      expect((await since(21, "cut")).stderr).toBe("holt: session cut ends at cursor 20\n");
      const json = await since(9999, "build", "--json");
      expect([json.text, JSON.parse(json.stderr)]).toEqual(["", { note: "session build ends at cursor 10" }]);
    }
    using web = line.running("web");
    web.print("ready\n");
    expect(await line.run(["logs", "--since", "99", "web"])).toMatchObject({
      text: "",
      stderr: "holt: session web is only at cursor 6\n",
      exitCode: 0,
    });
  });

  test("A channel without output is reported on stderr.", async () => {
    using line = new CommandLine();
    line.ended("term", { output: [{ channel: "pty", bytes: "hello\n" }] });
    line.ended("pipes", { output: [{ channel: "stderr", bytes: "oops\n" }, "fine\n"] });
    const channel = async (...args: string[]) => line.run(["logs", "--channel", ...args]);
    for (const follow of [[], ["-f"]]) {
      expect(await channel("stdout", "term", ...follow)).toMatchObject({
        text: "",
        stderr: "holt: session term has no output on channel stdout\n",
        exitCode: 0,
      });
    }
    expect((await channel("stderr", "--tail", "1", "pipes")).stderr).toBe(
      "holt: session pipes has no output on channel stderr from cursor 5 on\n",
    );
    expect(await channel("stdout", "pipes")).toMatchObject({ text: "fine\n", stderr: "" });
    using _web = line.running("web");
    expect((await channel("stdout", "web")).stderr).toBe("holt: session web has no output on channel stdout yet\n");
  });

  test("A command without output is not reported.", async () => {
    using line = new CommandLine();
    line.ended("quiet");
    for (const args of [[], ["-f"], ["--since", "0"], ["--tail", "3"]])
      expect(await line.run(["logs", ...args, "quiet"])).toMatchObject({ text: "", stderr: "", exitCode: 0 });
  });
});

describe("Following", () => {
  test("prints existing output, then new output, and exits when the session ends", async () => {
    using line = new CommandLine();
    const run = Bun.spawn(
      line.command(["run", "--session-id", "live", "--", "sh", "-c", "echo one; read x; echo two $x"]),
      {
        stdin: "pipe",
        stdout: "pipe",
        env: line.env,
        cwd: line.root,
      },
    );
    await line.untilListed("live");
    await using reader = line.onTerminal(["logs", "-f", "live"]);
    await reader.sees("one");
    await run.stdin.write("fish\n");
    await run.stdin.end();
    expect(await reader.exit()).toEqual({ exitCode: 0, signal: null });
    expect(reader.text).toBe("one\r\ntwo fish\r\n");
    expect(await run.exited).toBe(0);
    expect(await new Response(run.stdout).text()).toBe("one\ntwo fish\n");
  });

  test("prints an ended session and exits", async () => {
    using line = new CommandLine();
    line.ended("done", { output: ["a\nb\n"] });
    expect(await line.run(["logs", "-f", "done"])).toMatchObject({ text: "a\nb\n", exitCode: 0 });
    expect((await line.run(["logs", "-f", "--tail", "1", "done"])).text).toBe("b\n");
  });

  test("shows a prompt without a line end", async () => {
    using line = new CommandLine();
    using web = line.running("ask");
    web.print("\x1b[1mPassword:\x1b[0m ");
    await using reader = line.onTerminal(["logs", "-f", "ask"]);
    await reader.sees("Password: ");
    web.print("ok\n");
    await reader.sees("Password: ok\r\n");
  });

  /** The follower exited with 0, as at any end, while the command ran on unrecorded. */
  test("reports a killed holder, and fails", async () => {
    using line = new CommandLine();
    const web = line.running("web");
    web.print("ready\n");
    await using reader = line.onTerminal(["logs", "-f", "web"]);
    await reader.sees("ready");
    web[Symbol.dispose]();
    expect(await reader.exit()).toEqual({ exitCode: 1, signal: null });
    expect(reader.text).toContain("holt: the holder of web was lost");
  });

  test("exits silently on Ctrl-C, with 130 for a shell", async () => {
    using line = new CommandLine();
    using web = line.running("web");
    web.print("ready\n");
    await using shell = line.shellOnTerminal('trap : INT; "$HOLT" logs -f web; echo "code $?"');
    await shell.sees("ready");
    shell.type("\x03");
    await shell.sees("code 130");
    expect(shell.text.replaceAll("\r\n", "\n")).toBe("ready\n^Ccode 130\n");
  });
});

describe("A closed pipe", () => {
  test("ends logs silently with 141, as cat", async () => {
    using line = new CommandLine();
    line.ended("big", { output: Array.from({ length: 40 }, () => `${"x".repeat(99)}\n`.repeat(500)) });
    for (const view of ["--raw", "--text", "--json"]) {
      const { text, stderr } = await line.shell(
        `"$HOLT" logs ${view} big | head -1 >/dev/null; echo "\${PIPESTATUS[0]}"`,
      );
      expect({ view, text, stderr }).toEqual({ view, text: "141\n", stderr: "" });
    }
  });

  test("ends a listing or a help page the same way", async () => {
    using line = new CommandLine();
    line.ended("x1");
    for (const command of ["ls", "ls --json", "help", "logs --help", "show x1", "version", ""]) {
      const { stderr } = await line.shell(`"$HOLT" ${command} | true`);
      expect({ command, stderr }).toEqual({ command, stderr: "" });
    }
  });

  test("ends following even if the session prints nothing", async () => {
    using line = new CommandLine();
    using web = line.running("web");
    web.print("ready\nand more\n");
    const { text, stderr } = await line.shell('"$HOLT" logs -f web | head -1; echo "${PIPESTATUS[0]}"');
    expect({ text, stderr }).toEqual({ text: "ready\n141\n", stderr: "" });
  });
});
