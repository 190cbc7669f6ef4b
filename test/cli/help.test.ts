/** Help pages, errors about unknown commands, the version, and shell completions. */
import { describe, expect, test } from "bun:test";
import { dirname } from "node:path";
import { commandPage } from "../../src/cli/declarations/command-page.ts";
import { COMMANDS } from "../../src/cli/declarations/commands.ts";
import { renderPage } from "../../src/cli/output/page.ts";
import { makeStyle } from "../../src/cli/output/style.ts";
import { TOPICS } from "../../src/cli/topics/topics.ts";
import { AttachBench } from "../support/attach-bench.ts";
import { Bench, collect, HOLT } from "../support/holt.ts";
import { CommandLine } from "./command-line.ts";

/** fish and zsh run the holt in PATH. */
const PATH = `${dirname(HOLT)}:${process.env["PATH"]}`;

describe("Help", () => {
  test("holt help lists every command and topic; so does holt --help.", async () => {
    using line = new CommandLine();
    const { text, exitCode } = await line.run(["help"]);
    expect(exitCode).toBe(0);
    for (const { name, summary } of [...COMMANDS, ...TOPICS])
      expect(text).toMatch(new RegExp(`^  ${name} +${summary.slice(0, 20)}`, "m"));
    expect((await line.run(["--help"])).text).toBe(text);
    expect((await line.run(["-h"])).text).toBe(text);
  });

  test("`holt help COMMAND` and `holt COMMAND --help` print the same page, examples before options.", async () => {
    using line = new CommandLine();
    for (const { name } of COMMANDS) {
      const { text, stderr, exitCode } = await line.run(["help", name]);
      expect({ name, stderr, exitCode }).toEqual({ name, stderr: "", exitCode: 0 });
      expect(text).toStartWith(`holt ${name}: `);
      expect(text.indexOf("\nExamples\n")).toBeGreaterThan(0);
      expect(text.indexOf("\nOptions\n")).toBeGreaterThan(text.indexOf("\nExamples\n"));
      expect((await line.run([name, "--help"])).text).toBe(text);
    }
  });

  test("No page is wider than the terminal it is read on, and none wider than 80 columns without one.", async () => {
    using line = new CommandLine();
    const wide = (text: string): string[] => text.split("\n").filter((row) => Bun.stringWidth(Bun.stripANSI(row)) > 80);
    for (const args of [[], ...[...COMMANDS, ...TOPICS].map(({ name }) => [name])]) {
      expect({ args, wide: wide(await line.seen(["help", ...args], { cols: 80 })) }).toEqual({ args, wide: [] });
      expect({ args, wide: wide((await line.run(["help", ...args])).text) }).toEqual({ args, wide: [] });
    }
  });

  test("At 40 columns only what is meant to be copied is wider; at 200 the lines stay readable.", () => {
    const at = (columns: number) => makeStyle({ tty: true, columns, env: { NO_COLOR: "1" } });
    for (const declaration of COMMANDS) {
      const examples = declaration.examples.map(([line]) => `  ${line}`);
      const rows = commandPage(declaration, at(40)).split("\n");
      expect(rows.filter((row) => Bun.stringWidth(row) > 40 && !examples.includes(row))).toEqual([]);
      const widest = Math.max(
        ...commandPage(declaration, at(200))
          .split("\n")
          .map((row) => Bun.stringWidth(row)),
      );
      expect(widest).toBeLessThanOrEqual(100);
    }
    for (const { text } of TOPICS) {
      const rows = renderPage(text, at(40)).split("\n");
      expect(rows.filter((row) => Bun.stringWidth(row) > 40 && !text.includes(row))).toEqual([]);
    }
  });

  test("A hint is filled to the terminal's width, between words.", async () => {
    using line = new CommandLine();
    expect(await line.seen(["kill-session", "web"], { cols: 50, env: { NO_COLOR: "1" } })).toBe(
      [
        'holt: unknown command: "kill-session"',
        "      use `holt stop ID`, or `holt kill ID` to end",
        "      it at once",
        "",
      ].join("\n"),
    );
  });

  test("Command names of other programs are answered with the command of holt.", async () => {
    using line = new CommandLine();
    for (const [word, hint] of [
      ["list", "use `holt ls`"],
      ["ps", "use `holt ls`"],
      ["tail", "use `holt logs -f ID`"],
      ["cat", "use `holt logs ID`"],
      ["kill-session", "use `holt stop ID`, or `holt kill ID` to end it at once"],
      ["new-session", "use `holt start -- COMMAND`"],
    ]) {
      const stderr = `holt: unknown command: "${word}"\n      ${hint}\n`;
      expect(await line.run([word ?? ""])).toMatchObject({ exitCode: 2, stderr });
    }
  });

  test("An unknown topic or command is answered with the most similar one.", async () => {
    using line = new CommandLine();
    expect(await line.run(["help", "cursor"])).toMatchObject({
      exitCode: 2,
      stderr: 'holt: unknown command or topic: "cursor"\n      did you mean cursors? `holt help` lists them all\n',
    });
    expect(await line.run(["lsg"])).toMatchObject({
      exitCode: 2,
      stderr: 'holt: unknown command: "lsg"\n      did you mean `holt ls`? `holt help` lists all commands\n',
    });
    expect(await line.run(["--frobnicate"])).toMatchObject({
      exitCode: 2,
      stderr: 'holt: unknown option: "--frobnicate"\n      `holt help` lists all commands\n',
    });
    expect(JSON.parse((await line.run(["zzzz", "--json"])).stderr)).toEqual({
      error: { code: "EBADARGS", message: 'unknown command: "zzzz"', hint: "`holt help` lists all commands" },
    });
  });
});

test("The version is printed as text, as JSON, and for the usual flags.", async () => {
  using line = new CommandLine();
  const { text } = await line.run(["version"]);
  expect(text).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect((await line.run(["--version"])).text).toBe(text);
  expect(JSON.parse((await line.run(["version", "--json"])).text)).toEqual({ version: text.trim() });
  expect(await line.run(["version", "x"])).toMatchObject({ exitCode: 2 });
});

describe("Completions", () => {
  /** Completions of bash for the last of these words. */
  async function offered(line: CommandLine, ...words: string[]): Promise<string[]> {
    const script = `
      eval "$("$HOLT" completions bash)"
      COMP_WORDS=("$HOLT" "$@"); COMP_CWORD=$#
      _holt; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { text, stderr } = await line.bash(script, words);
    expect(stderr).toBe("");
    return text.trimEnd().split("\n");
  }

  test("bash completes commands, options, their values, sessions and topics.", async () => {
    using line = new CommandLine();
    line.ended("k3f9q2", { meta: { name: "web" } });
    line.ended("m81xz0", { meta: { name: "not a word" } });
    expect(await offered(line, "")).toEqual(COMMANDS.map(({ name }) => name));
    expect(await offered(line, "l")).toEqual(["ls", "logs"]);
    expect(await offered(line, "logs", "--t")).toEqual(["--text", "--tail"]);
    expect(await offered(line, "ls", "--state", "r")).toEqual(["running"]);
    expect(await offered(line, "ls", "--state", "e")).toEqual(["exited"]);
    expect((await offered(line, "logs", "")).toSorted()).toEqual(["k3f9q2", "m81xz0", "web"]);
    expect(await offered(line, "rm", "web", "m")).toEqual(["m81xz0"]);
    using _db = line.running("p1", { name: "db" });
    line.ended("p0", { meta: { name: "db" } });
    expect((await offered(line, "attach", "")).toSorted()).toEqual(["db", "p1"]);
    expect((await offered(line, "logs", "")).filter((word) => word === "db")).toEqual(["db"]);
    // The second argument is no session: bash offered sessions again.
    expect(await offered(line, "signal", "d")).toEqual(["db"]);
    expect(await offered(line, "signal", "db", "H")).toEqual(["HUP"]);
    expect(await offered(line, "rename", "db", "")).toEqual([""]);
    expect(await offered(line, "resize", "db", "")).toEqual([""]);
    expect(await offered(line, "wait", "db", "--until", "i")).toEqual(["idle=", "input"]);
    expect(await offered(line, "start", "--restart", "o")).toEqual(["on-failure"]);
    expect(await offered(line, "help", "cu")).toEqual(["cursors"]);
    expect(await offered(line, "logs", "--since", "")).toEqual([""]);
    expect(await offered(line, "run", "--", "basenam")).toContain("basename");
  });

  test("bash completes clients of the named session, and files.", async () => {
    using bench = new AttachBench();
    const id = await bench.start("sleep 60", ["--name", "web"]);
    await using _user = bench.attach(id);
    await bench.attached(id, 1);
    const complete = async (...words: string[]): Promise<string[]> => {
      const listed = words.map((word) => `'${word}'`).join(" ");
      const { text, stderr } = await bench.shell(
        `touch words; mkdir dir; eval "$("$HOLT" completions bash)"; COMP_WORDS=("$HOLT" ${listed}); COMP_CWORD=${words.length}; _holt; printf '%s\\n' "\${COMPREPLY[@]}"; rm -r words dir`,
      );
      expect(stderr).toBe("");
      return text.trimEnd().split("\n");
    };
    expect(await complete("detach", "web", "--client", "")).toEqual(["c1"]);
    expect(await complete("detach", id, "-c", "c")).toEqual(["c1"]);
    expect(await complete("detach", "--client", "")).toEqual([""]);
    expect(await complete("start", "--stdin", "")).toEqual(expect.arrayContaining(["none", "words", "dir"]));
    expect(await complete("start", "--cwd", "")).toEqual(expect.not.arrayContaining(["words"]));
    expect(await complete("start", "--limit", "m")).toEqual(["memory="]);
    const fish = '"$HOLT" completions fish | source; complete -C "holt detach web --client "';
    const env = { ...bench.env, HOLT, HOME: bench.root, PATH };
    const { text } = await collect(["fish", "-N", "-c", fish], { stdin: "", env, cwd: bench.root });
    expect(text).toMatch(/^c1\tdriver, pid \d+ .*\n$/);
    await bench.end(id);
  });

  /** Runs the script in the shell itself. */
  test.each([
    [
      "zsh",
      [
        "-c",
        'autoload -U compinit; compinit -D; source <("$HOLT" completions zsh); whence -f _holt_clients >/dev/null',
      ],
    ],
    [
      "fish",
      [
        "-N",
        "-c",
        '"$HOLT" completions fish | source; complete -C "holt detach --clie" | string match -q "*--client*"; and complete -C "holt signal web H" | string match -q HUP',
      ],
    ],
  ])("%s loads its script.", async (shell, args) => {
    using bench = new Bench();
    const { stderr, exitCode } = await collect([shell, ...args], {
      stdin: "",
      env: { ...bench.env, HOLT, HOME: bench.root, PATH },
      cwd: bench.root,
    });
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  });

  test("Every option of every command is in all three scripts.", async () => {
    using line = new CommandLine();
    for (const shell of ["bash", "zsh", "fish"]) {
      const { text, exitCode } = await line.run(["completions", shell]);
      expect(exitCode).toBe(0);
      for (const { name, options } of COMMANDS) {
        expect(text).toContain(name);
        for (const option of options)
          expect(text).toContain(shell === "fish" ? `-l ${option.name}` : `--${option.name}`);
      }
    }
    expect(await line.run(["completions", "tcsh"])).toMatchObject({ exitCode: 2 });
    expect(await line.run(["completions"])).toMatchObject({ exitCode: 2 });
  });
});
