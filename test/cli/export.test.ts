/** `holt export`. */
import { describe, expect, test } from "bun:test";
import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../chaos/size.ts";
import { printed, readCast } from "../rendering/casts.ts";
import { TerminalUser } from "../support/terminal.ts";
import { CommandLine } from "./command-line.ts";
import { hollow } from "./hollow.ts";

/** Runs it in the background to its end, with one resize once it has printed `first`. */
async function recorded(line: CommandLine, script: string, args: string[] = []): Promise<void> {
  await line.run(["start", "--session-id", "x", "--name", "demo", ...args, "--", "sh", "-c", script]);
  await until("it prints", () => line.output("x").includes("first"));
  if (!args.includes("--no-pty")) await line.run(["resize", "x", "100x30"]);
  writeFileSync(join(line.root, "go"), "");
  await line.run(["wait", "x"]);
}

const SCRIPT = `printf 'first \\033[1;31mré\\033[0md\\r\\n'; until [ -e go ]; do sleep 0.02; done; sleep 0.3; stty size; sleep 0.3; printf '\\342\\202'; sleep 0.1; printf '\\254 世界\\r\\n'; exit 3`;

describe("A recording", () => {
  test("has the timing of the transcript, its resizes and the exit status.", async () => {
    using line = new CommandLine();
    await recorded(line, SCRIPT, ["--size", "60x20"]);
    const { text, stderr, exitCode } = await line.run(["export", "x"]);
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    const cast = await readCast(text);
    expect(cast.header).toMatchObject({ version: 3, title: "demo", term: { cols: 60, rows: 20 } });
    expect(String(cast.header["command"])).toStartWith("sh -c 'printf ");
    expect(printed(cast)).toBe(line.output("x").toString());
    const codes = cast.events.map(([, code, data]) => (code === "o" ? "o" : `${code} ${data}`)).join(" ");
    expect(codes).toMatch(/^(o )+r 100x30 (o )+x 3$/);

    const started = Date.parse(line.meta("x").started_at ?? "");
    const index = line.artifact("index.jsonl", "x").toString().trim().split("\n");
    const written = index.map(
      (record) => Date.parse((JSON.parse(record) as { timestamp: string }).timestamp) - started,
    );
    const shown = cast.events.filter(([, code]) => code === "o").map(([at]) => at);
    // The character that came in two pieces is shown with its second one.
    expect(shown).toEqual(written.filter((_, number) => number !== written.length - 2).map((at) => Math.max(0, at)));
  });

  test("is played by asciinema with the same bytes and timing.", async () => {
    using line = new CommandLine();
    await recorded(line, SCRIPT);
    const place = { env: { ...line.env, HOME: line.root }, cwd: line.root }; // it keeps an id of its own there
    const { exitCode } = await line.run(["export", "demo", "--format", "asciicast-v2", "--output", "x.cast"]);
    expect(exitCode).toBe(0);
    await using cat = new TerminalUser(["sh", "-c", "asciinema cat x.cast > shown; echo done"], place);
    await cat.sees("done");
    expect(readFileSync(join(line.root, "shown")).equals(line.output("x"))).toBe(true);

    await using play = new TerminalUser(["asciinema", "play", "-s", "1000", "x.cast"], place);
    await play.sees("世界");
    expect(await play.exit()).toEqual({ exitCode: 0, signal: null });
    expect(play.text).toContain(line.output("x").toString());
    const cast = await readCast(readFileSync(join(line.root, "x.cast"), "utf8"));
    const last = cast.events.at(-1)?.[0] ?? 0;
    expect(last).toBeGreaterThanOrEqual(600);
    // Whole milliseconds of two moments, where the duration is rounded: one more at most.
    expect(last).toBeLessThanOrEqual(line.final("x").duration_ms + 1);
  });

  test("of pipes looks as on a terminal.", async () => {
    using line = new CommandLine();
    await recorded(line, "echo first; echo err >&2; until [ -e go ]; do sleep 0.02; done", ["--no-pty"]);
    const cast = await readCast((await line.run(["export", "x"])).text);
    expect(cast.size).toEqual([80, 24]);
    expect(printed(cast).split("\r\n").toSorted()).toEqual(["", "err", "first"]);
    expect(cast.events.at(-1)?.slice(1)).toEqual(["x", "0"]);
  });

  test("of a running session ends now, without an exit status.", async () => {
    using line = new CommandLine();
    using running = line.running("x");
    running.print("so far\n");
    const cast = await readCast((await line.run(["export", "x"])).text);
    expect(cast.events.map(([, code, data]) => [code, data])).toEqual([["o", "so far\r\n"]]);
  });

  test("marks output that was not kept, and stderr says how much.", async () => {
    using line = new CommandLine();
    line.ended("x", { output: ["kept", "lost for ever"], maxBytes: 4 });
    const { text, stderr } = await line.run(["export", "x"]);
    expect((await readCast(text)).events.map(([, code, data]) => [code, data])).toEqual([
      ["o", "kept"],
      ["m", "13 bytes from cursor 4 on were not kept"],
      ["x", "0"],
    ]);
    expect(stderr).toBe("holt: 13 bytes were not kept and are missing in the export\n");
  });

  test("of a part begins and ends at its cursors.", async () => {
    using line = new CommandLine();
    line.ended("x", { output: ["0123", "4567", "89"] });
    const of = async (...args: string[]): Promise<string> =>
      printed(await readCast((await line.run(["export", "x", ...args])).text));
    expect(await of("--from", "2", "--to", "6")).toBe("2345");
    expect(await of("--to", "99")).toBe("0123456789");
    expect(await of("--from", "10")).toBe("");
    expect((await line.run(["export", "x", "--to", "6"])).text).not.toContain('"x"');
    expect(await line.run(["export", "x", "--from", "11"])).toMatchObject({
      stderr: "holt: session x has no output from cursor 11 on\n      it goes up to cursor 10\n",
      exitCode: 2,
    });
    expect((await line.run(["export", "x", "--from", "5", "--to", "4"])).stderr).toContain("lies before");
  });
});

describe("Text and HTML", () => {
  test("The text is what holt logs --text prints.", async () => {
    using line = new CommandLine();
    const output = ["a\r\x1b[31mb\x1b[0m\n", { channel: "stderr" as const, bytes: "half" }, "\x1b]0;t\x07c\tд"];
    line.ended("x", { output });
    const { text } = await line.run(["export", "x", "--format", "text"]);
    expect(text).toBe("b\nc\tд\nhalf");
    expect(text).toBe((await line.run(["logs", "--text", "x"])).text);
    expect(await line.seen(["export", "x", "-f", "text"])).toContain("b\nc\tд\nhalf");
  });

  test("The page has the colours, and a line where output is missing.", async () => {
    using line = new CommandLine();
    line.ended("x", { output: ["\x1b[32mok\x1b[0m\n", "lost"], maxBytes: 12 });
    const { text } = await line.run(["export", "x", "-f", "html"]);
    expect(text).toContain('<span style="color:var(--c2)">ok</span>');
    expect(text).toContain("4 bytes from cursor 12 on were not kept");
  });
});

describe("The destination", () => {
  test("A recording is printed on a terminal only with --output -.", async () => {
    using line = new CommandLine();
    line.ended("x", { output: ["hello"] });
    expect(await line.seen(["export", "x"], { env: { NO_COLOR: "1" } })).toBe(
      [
        "holt: asciicast output is not readable on a terminal",
        "      use `--output x.cast`, or `--output -` to print it anyway",
        "",
      ].join("\n"),
    );
    expect(await line.seen(["export", "x", "-o", "-"])).toContain('"hello"');
  });

  test("A file is replaced atomically, with its permissions and through a symlink.", async () => {
    using line = new CommandLine();
    line.ended("x", { output: ["hello"] });
    const file = join(line.root, "x.txt");
    writeFileSync(file, "before");
    chmodSync(file, 0o640);
    symlinkSync("x.txt", join(line.root, "link"));
    expect(await line.run(["export", "x", "-f", "text", "-o", "link"])).toMatchObject({
      text: "",
      stderr: "",
      exitCode: 0,
    });
    expect(readFileSync(file, "utf8")).toBe("hello");
    expect(statSync(file).mode & 0o777).toBe(0o640);
    expect(readdirSync(line.root).toSorted()).toEqual(["link", "state", "x.txt"]);
  });

  test("--json describes what was written.", async () => {
    using line = new CommandLine();
    line.ended("x", { output: ["kept", "lost"], maxBytes: 4 });
    const { text, stderr } = await line.run(["export", "x", "--from", "1", "-f", "text", "-o", "x.txt", "--json"]);
    expect({ told: JSON.parse(text) as unknown, stderr }).toEqual({
      told: { session_id: "x", format: "text", output: "x.txt", from: "1", to: "8", missing_bytes: 4 },
      stderr: "",
    });
    expect(await line.run(["export", "x", "--json"])).toMatchObject({
      stderr: expect.stringContaining('"--json needs --output FILE"'),
      exitCode: 2,
    });
  });

  test("A path that is no regular file is written to directly.", async () => {
    using line = new CommandLine();
    line.ended("x", { output: ["hello"] });
    const { text } = await line.shell('mkfifo pipe; "$HOLT" export x -f text -o pipe & cat pipe; wait');
    expect(text).toBe("hello");
    expect((await line.run(["export", "x", "-o", "/dev/full"])).stderr).toStartWith(
      "holt: cannot write /dev/full: ENOSPC\n",
    );
  });

  test("A failed write leaves the existing file and no partial one.", async () => {
    using line = new CommandLine();
    hollow(line, "x", 8 * 1024 ** 2);
    writeFileSync(join(line.root, "x.cast"), "before");
    const { stderr, text } = await line.shell(
      `trap "" XFSZ; ulimit -f 100; "$HOLT" export x -o x.cast; echo $?; ls -A`,
    );
    expect(stderr).toBe(
      "holt: cannot write x.cast: EFBIG\n      nothing was left behind; raise the limit on the size of files:\n      `ulimit -f unlimited`\n",
    );
    expect(text).toBe("1\nstate\nx.cast\n");
    expect(readFileSync(join(line.root, "x.cast"), "utf8")).toBe("before");
    for (const [place, why] of [
      ["no/x", "ENOENT"],
      [".", "EISDIR"],
      ["x.cast/y", "ENOTDIR"],
    ] as const)
      expect(await line.run(["export", "x", "-o", place])).toMatchObject({
        stderr: expect.stringContaining(why),
        exitCode: 1,
      });
  });

  test("A signal leaves no partial file.", async () => {
    using line = new CommandLine();
    hollow(line, "x", 1024 ** 3);
    await using user = line.onTerminal(["export", "x", "-o", "x.cast"]);
    await user.sees(/exporting x \d+ %/);
    expect(readdirSync(line.root).some((name) => name.startsWith(".x.cast."))).toBe(true);
    user.type("\x03");
    expect((await user.exit()).signal).toBe("SIGINT");
    expect(readdirSync(line.root)).toEqual(["state"]);
  }, 30_000);
});

test("A long transcript is exported in the memory that a short one takes, give or take the collector's slack.", async () => {
  using line = new CommandLine();
  hollow(line, "small", 1024 ** 2);
  hollow(line, "large", 128 * 1024 ** 2);
  for (const format of ["asciicast", "text", "html"]) {
    const cost = async (id: string): Promise<number> => {
      const proc = Bun.spawn(line.command(["export", id, "-f", format]), { env: line.env, stdout: "pipe" });
      for await (const _ of proc.stdout);
      expect(await proc.exited).toBe(0);
      return (proc.resourceUsage()?.maxRSS ?? 0) / 1024 ** 2;
    };
    expect((await cost("large")) - (await cost("small"))).toBeLessThan(96);
  }
}, 60_000);
