/** A secret is typed where the terminal does not show it, and nowhere else. */
import { describe, expect, test } from "bun:test";
import { until } from "../chaos/size.ts";
import { Bench, HOLT } from "../support/holt.ts";
import { TerminalUser } from "../support/terminal.ts";

/** Prints how many characters it was given, never which. */
const ASKS = "stty -echo; echo asks; read x; stty echo; echo got ${#x}; cat";
const SECRET = "correct horse";

async function start(bench: Bench, args: readonly string[], script: string): Promise<void> {
  const { stderr, exitCode } = await bench.run(["start", "--session-id", "x", ...args, "--", "sh", "-c", script]);
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
}

const printed = (bench: Bench, text: string): Promise<void> =>
  until(`it prints ${text}`, () => bench.output("x").includes(text));

describe("holt send --secret", () => {
  test("types a line from stdin into a terminal that does not show it, and only that it did is recorded", async () => {
    using bench = new Bench();
    await start(bench, [], ASKS);
    await printed(bench, "asks");
    const sent = await bench.run(["send", "x", "--secret", "--enter", "--json"], { stdin: `${SECRET}\nand more\n` });
    expect(sent).toMatchObject({
      text: expect.stringMatching(/^\{"bytes_written":14,"next_cursor":"\d+"\}\n$/),
      stderr: "",
      exitCode: 0,
    });
    await printed(bench, "got 13");
    await bench.run(["kill", "x"]);
    expect(bench.output("x").includes(SECRET)).toBe(false);
    expect(bench.events("x").filter(({ type }) => type === "secret")).toMatchObject([{ client: "send" }]);
    expect(bench.events("x").filter(({ type }) => type === "input")).toEqual([]);
  });

  test("is refused while the terminal would show it, and the program gets nothing of it", async () => {
    using bench = new Bench();
    await start(bench, [], "echo ready; cat");
    await printed(bench, "ready");
    const { stderr, exitCode } = await bench.run(["send", "x", "--secret", "--enter"], { stdin: SECRET });
    expect({ stderr: stderr.split("\n")[0], exitCode }).toEqual({
      stderr: "holt: the terminal would echo the secret",
      exitCode: 1,
    });
    expect(stderr).toContain("`holt wait ID --until input`");
    await bench.run(["send", "x", "--text", "after", "--enter"]);
    await until("it echoed the text twice", () => bench.output("x").toString().split("after").length === 3);
    await bench.run(["kill", "x"]);
    expect(bench.output("x").includes(SECRET)).toBe(false);
  });

  test("is refused at the prompt of a line editor, which draws what is typed itself", async () => {
    using bench = new Bench();
    const shell = ["start", "--session-id", "x", "--", "bash", "--norc", "--noprofile"];
    expect(await bench.run(shell)).toMatchObject({ exitCode: 0 });
    expect(await bench.run(["wait", "x", "--until", "prompt"])).toMatchObject({ exitCode: 0 });
    expect(await bench.run(["send", "x", "--secret"], { stdin: SECRET })).toMatchObject({ exitCode: 1 });
    await bench.run(["kill", "x"]);
    expect(bench.output("x").includes(SECRET)).toBe(false);
  });

  test("goes to a command on pipes, which show nothing", async () => {
    using bench = new Bench();
    await start(bench, ["--no-pty"], "read x; echo got ${#x}");
    expect(await bench.run(["send", "x", "--secret", "--enter", "--eof"], { stdin: SECRET })).toMatchObject({
      stderr: "",
      exitCode: 0,
    });
    await printed(bench, "got 13");
  });

  test("asks at a terminal without showing what is typed; Ctrl-C leaves it as it was, and sends nothing", async () => {
    using bench = new Bench();
    await start(bench, [], ASKS);
    await printed(bench, "asks");
    const ECHO = 0x8;
    await using shell = new TerminalUser(["bash", "--norc", "--noprofile"], {
      env: { ...bench.env, PS1: "$ ", HOLT },
      cwd: bench.root,
    });
    await shell.sees("$ ");
    shell.type('"$HOLT" send x --secret --enter\r');
    await shell.sees("secret for x: ");
    await until("it does not echo", () => (shell.localFlags & ECHO) === 0);
    shell.type("half of it\x03");
    await shell.sees(/secret for x: [^]*\$ $/);
    shell.type('echo "code $?"\r');
    await shell.sees("code 130");
    const from = shell.text.length;
    shell.type('"$HOLT" send x --secret --enter; echo "code $?"; stty -a | grep -o " echo "\r');
    await shell.sees("secret for x: ", { from });
    shell.type("\x15wrong\x7f\x7f\x7f\x7f\x7fcorrect horsé\x7fe\r");
    await shell.sees("code 0", { from });
    await shell.sees("\n echo ", { from });
    await printed(bench, "got 13");
    await bench.run(["kill", "x"]);
    expect(shell.text).not.toContain("correct");
  });
});

test("An empty secret, and one that is longer than a terminal takes at once, is refused without being told.", async () => {
  using bench = new Bench();
  await start(bench, [], ASKS);
  await printed(bench, "asks");
  expect(await bench.run(["send", "x", "--secret"])).toMatchObject({ exitCode: 2 });
  const { stderr, exitCode } = await bench.run(["send", "x", "--secret"], { stdin: "s".repeat(4001) });
  expect({ stderr, exitCode }).toEqual({
    stderr: "holt: the secret is too long\n      a secret is 1 to 4000 bytes\n",
    exitCode: 2,
  });
  await bench.run(["kill", "x"]);
});
