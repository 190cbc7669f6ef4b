/**
 * Found by a newcomer: who watched a shell while an agent ran `holt exec` in it saw, for every command, a line of holt's own plumbing (` __holt_take
 * 2>/dev/null; \builtin eval -- …`), and the command dimmed below it. They see what they would have seen if somebody had typed the command.
 */
import { describe, expect, test } from "bun:test";
import { statSync } from "node:fs";
import { until } from "../chaos/size.ts";
import { HOLT } from "../support/holt.ts";
import { TerminalUser } from "../support/terminal.ts";
import { BARE, LiveShell, SHELLS } from "./shells.ts";

/** A prompt that is the same in all three. */
const prompt = (text: string): Record<string, string> => ({
  ".bashrc": `PS1='${text}'\n`,
  ".zshrc": `PS1=$'${text}'\n`,
  ".config/fish/config.fish": `function fish_prompt; printf '${text}'; end\nset -g fish_greeting\n`,
});

const SIZES = ["80x24", "20x10", "33x5", "200x50"];

describe.each(SHELLS)("in %s", (shell) => {
  test.each(SIZES)("a watcher at %s sees prompts, commands and output, and nothing else", async (size) => {
    await using live = await LiveShell.start([shell], prompt("P> "), ["--size", size]);
    const lines: string[] = [];
    for (let round = 0; round < 12; round++) {
      expect(await live.text(`echo round ${round}`)).toBe(`round ${round}\n`);
      lines.push(`P> echo round ${round}`, `round ${round}`);
    }
    await live.prompt();
    const screen = await live.screen();
    expect(screen.at(-1)).toBe("P>");
    expect(screen.length).toBeGreaterThan(2);
    expect(screen).toEqual([...lines, "P>"].slice(-screen.length));
    const { text } = await live.bench.run(["logs", "--text", "s"]);
    expect(text).toContain("round 11");
    // fish writes a line that takes several rows as several.
    if (shell !== "fish" || Number.parseInt(size, 10) >= 80) expect(text).not.toContain("__holt");
  });

  test.each([
    ["of two lines", String.raw`one\nP> `],
    ["that takes more than a row", `${"w".repeat(30)}> `],
    ["that takes a row to its end", `${"w".repeat(18)}> `],
    ["of none", ""],
  ])("behind a prompt %s it looks as if it was typed", async (_, text) => {
    const shells = [prompt(text), prompt(text)].map((files) => LiveShell.start([shell], files, ["--size", "20x12"]));
    await using typed = await (shells[0] as Promise<LiveShell>);
    await using given = await (shells[1] as Promise<LiveShell>);
    await typed.prompt();
    for (let round = 0; round < 6; round++) {
      await given.exec(`echo ${round}`);
      await typed.send("--text", `echo ${round}`, "--enter");
      await until("it is run", () => typed.commands().length > round);
      await typed.prompt();
    }
    await given.prompt();
    const [expected, screen] = [await typed.screen(), await given.screen()];
    const shown = Math.min(expected.length, screen.length);
    expect(shown).toBeGreaterThan(6);
    expect(screen.slice(-shown)).toEqual(expected.slice(-shown));
  });

  test("several lines are one, what is long is cut, and what would act on the terminal does not", async () => {
    await using live = await LiveShell.start([shell], prompt("P> "), ["--size", "80x24"]);
    await live.exec("echo one\n  echo two\n");
    await live.exec(`true ${"x".repeat(300)}`);
    await live.exec("echo 'a\x1b[2J\u009b2J\x07b' | wc -l");
    await live.prompt();
    const screen = await live.screen();
    expect(screen.slice(0, 3)).toEqual(["P> echo one ⏎ echo two", "one", "two"]);
    expect(screen.slice(3, 6).join("")).toBe(`P> true ${"x".repeat(195)}…`);
    expect(screen[6]).toBe("P> echo 'a [2J 2J b' | wc -l");
    expect(screen.slice(7).map((line) => line.trim())).toEqual(["1", "P>"]);
  });

  test("after what somebody has typed, and after an exec of a shell", async () => {
    await using live = await LiveShell.start([shell], prompt("P> "), ["--size", "80x24"]);
    await live.prompt();
    await live.send("--text", "echo typed", "--enter");
    await live.prints("typed\r\n");
    await live.prompt();
    await live.exec("echo given");
    await live.prompt();
    expect(await live.screen()).toEqual(["P> echo typed", "typed", "P> echo given", "given", "P>"]);
    expect(await live.exec(`exec ${shell}`)).toMatchObject({ outcome: "replaced" });
    await live.exec("echo again");
    await live.prompt();
    expect((await live.screen()).slice(4).join("\n")).not.toContain("inbox");
    expect((await live.screen()).slice(-3)).toEqual(["P> echo again", "again", "P>"]);
  });

  test("in a terminal that is attached, too", async () => {
    await using live = await LiveShell.start([shell], prompt("P> "), ["--size", "60x20"]);
    await live.prompt();
    await using person = new TerminalUser([HOLT, "attach", "s"], {
      env: live.bench.env,
      cwd: live.bench.root,
      cols: 60,
      rows: 20,
    });
    await person.sees("P> ");
    await live.exec("echo gi''ven");
    await person.sees("given");
    await live.prompt();
    expect(await live.screen()).toEqual(["P> echo gi''ven", "given", "P>"]);
  });
});

test.each([
  ["vi mode", "set -o vi; PS1='P> '\n", ["P> echo hi", "hi", "P>"]],
  ["PS0", "PS0='[started]\\n'; PS1='P> '\n", ["P> echo hi", "[started]", "hi", "P>"]],
  ["a prompt that is made each time", "PROMPT_COMMAND='PS1=\"\\\\! P> \"'\n", ["1 P> echo hi", "hi", "1 P>"]],
  ["a DEBUG trap", "PS1='P> '; trap 'x=1' DEBUG\n", ["P> echo hi", "hi", "P>"]],
  ["set -x", "PS1='P> '; PS4='+ '; set -x\n", ["P> echo hi", "+ builtin eval -- 'echo hi'", "++ echo hi", "hi", "P>"]],
])("in bash with %s", async (_, file, expected) => {
  await using live = await LiveShell.start(["bash"], { ".bashrc": file });
  await live.prompt();
  const before = await live.screen();
  await live.exec("echo hi");
  await live.prompt();
  const screen = await live.screen();
  expect(screen.slice(before.length - 1)).toEqual(expected);
});

test("what is typed ahead and dropped leaves the command on a line of its own", async () => {
  await using live = await LiveShell.start(BARE.bash);
  const running = live.exec("echo begun; sleep 0.3");
  await live.prints("begun\r\n");
  await live.send("--text", "half");
  await running;
  await live.prompt();
  expect(await live.text("echo own")).toBe("own\n");
  await live.prompt();
  expect((await live.screen()).slice(-3, -1)).toEqual(["echo own", "own"]);
});

/**
 * fish looks at when its terminal was last written to, which the kernel keeps to eight seconds. Where holt wrote to it in other eight
 * seconds than fish had, fish drew its prompt anew, a row too low where that has two: "oneecho 0".
 */
test("how long fish's prompt has been there does not matter", async () => {
  await using live = await LiveShell.start(["fish"], prompt(String.raw`one\nP> `), ["--size", "20x12"]);
  await live.prompt();
  const { process: leader } = live.bench.meta(live.id);
  const written = statSync(`/proc/${leader?.pid}/fd/0`).mtimeMs;
  await Bun.sleep(Math.max(0, (Math.floor(written / 8000) + 1) * 8000 - Date.now()) + 50);
  await live.exec("echo 0");
  await live.prompt();
  expect(await live.screen()).toEqual(["one", "P> echo 0", "0", "one", "P>"]);
});
