/** `session.commands`: what was run in a shell, whoever ran it, and where its output lies. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../chaos/size.ts";
import { BARE, LiveShell, SHELLS } from "./shells.ts";

async function type(live: LiveShell, line: string): Promise<void> {
  const before = live.commands().length;
  await live.send("--text", line, "--enter");
  await until(`${line} has ended`, () => live.commands().length > before && live.commands(1)[0]?.ended_at !== null);
  await live.prompt();
}

describe.each(SHELLS)("in %s", (shell) => {
  test("typed commands have their text, directory, exit code, time and output", async () => {
    await using live = await LiveShell.start(BARE[shell]);
    await live.prompt();
    await type(live, "cd /usr");
    await type(live, "printf '%s;' one 'two%25'; sh -c 'exit 4'");
    await live.exec("echo by exec");
    const commands = live.commands();
    expect(commands).toMatchObject([
      { command: "cd /usr", by: "typed", exit_code: 0, command_cut: false },
      { command: "printf '%s;' one 'two%25'; sh -c 'exit 4'", by: "typed", cwd: "/usr", exit_code: 4 },
      { command: "echo by exec", by: "exec", cwd: "/usr", exit_code: 0 },
    ]);
    const [, second] = commands;
    const range = live.bench.output("s").subarray(second?.output_start, second?.output_end ?? 0);
    expect(range.toString()).toContain("one;two%25;");
    expect(commands.map(({ number }) => number)).toEqual(
      commands.map(({ number }) => number).toSorted((a, b) => a - b),
    );
    expect(commands.every(({ duration_ms }) => duration_ms !== null && duration_ms >= 0)).toBe(true);
  });

  test("a line that is empty or dropped is no command", async () => {
    await using live = await LiveShell.start(BARE[shell]);
    await live.prompt();
    await live.send("--text", "", "--enter");
    await live.send("--text", "dropped");
    await live.reads();
    await live.send("--keys", "ctrl-c");
    expect(await live.prompt()).toBe(0);
    await type(live, "echo real");
    expect(live.commands()).toMatchObject([{ command: "echo real" }]);
  });

  test("are there after the session has ended, or its holder was lost", async () => {
    await using live = await LiveShell.start(BARE[shell]);
    await live.exec("echo one");
    const running = live.exec("echo begun; sleep 600").catch(() => {});
    await live.prints("begun\r\n");
    await until("it is listed", () => live.commands().length === 2); // its mark is read a moment after it can be read by others
    process.kill(live.bench.meta("s").holder.pid, "SIGKILL");
    await running;
    const { text, exitCode } = await live.bench.run(["commands", "s"]);
    expect(exitCode).toBe(0);
    const rows = text
      .trim()
      .split("\n")
      .map((line) => line.split("\t"));
    expect(rows.map((row) => row.at(-1))).toEqual(["echo one", "echo begun; sleep 600"]);
    expect(rows.map((row) => row[1])).toEqual(["0", ""]);
  });

  test("a very long command is cut, and says so", async () => {
    await using live = await LiveShell.start(BARE[shell]);
    await live.exec(`echo >/dev/null ${"x".repeat(10_000)}`);
    expect(live.commands()).toMatchObject([{ command_cut: true }]);
    expect(live.commands()[0]?.command).toHaveLength(4096);
    await type(live, `echo ${"y".repeat(3000)} >/dev/null`);
    expect(live.commands(1)).toMatchObject([{ command_cut: true, exit_code: 0 }]);
    expect(live.commands(1)[0]?.command).toStartWith("echo yyyy");
  });
});

test("bash does not tell of a line that it was told to forget, and tells of one that is there again", async () => {
  await using live = await LiveShell.start(["bash"], { ".bashrc": "HISTCONTROL=ignoreboth\n" });
  await live.prompt();
  await type(live, "echo one");
  await type(live, "echo one");
  await type(live, " echo hush");
  await type(live, "echo two");
  expect(live.commands().map(({ command }) => command)).toEqual(["echo one", "echo one", null, "echo two"]);
});

test("a directory whose name is made of what marks are made of is told as it is", async () => {
  await using live = await LiveShell.start(BARE.bash);
  const name = "a;b%41 \u001b]133;D\u0007 é\nz";
  const made = join(live.bench.root, name);
  await live.exec(`mkdir $'a;b%41 \\e]133;D\\a é\\nz' && cd $'a;b%41 \\e]133;D\\a é\\nz'`);
  expect((await live.exec("true")).cwd).toBe(made.replace("\u0007", "?"));
});

test("the newest of very many cost no more than a look at the end", async () => {
  await using live = await LiveShell.start(BARE.bash);
  for (let round = 0; round < 5; round++) await live.exec(`echo ${round}`);
  expect(live.commands(2).map(({ command }) => command)).toEqual(["echo 3", "echo 4"]);
  const lines = readFileSync(join(live.bench.state, "sessions", "s", "commands.jsonl"), "utf8")
    .trim()
    .split("\n");
  expect(lines).toHaveLength(11);
});

/** It was shown as `sleep 0.2 echo two`, which is another command. */
test("A command of several lines is shown as several.", async () => {
  await using live = await LiveShell.start(BARE.bash);
  await live.exec("true\n  echo two");
  const { text } = await live.bench.run(["commands", "s"]);
  expect(text.trimEnd().split("\t").at(-1)).toBe("true ⏎ echo two");
});

test("holt exec and holt commands, as a person has them", async () => {
  await using live = await LiveShell.start(BARE.bash);
  const run = (...args: string[]) => live.bench.run(args);
  expect(await run("exec", "s", "echo out; exit_code() { return 3; }; exit_code")).toMatchObject({
    text: "out\n",
    exitCode: 3,
    stderr: "",
  });
  expect(await run("exec", "s", "--", "printf", "%s|", "two words", "it's")).toMatchObject({
    text: "two words|it's|",
    exitCode: 0,
  });
  expect(await run("exec", "--raw", "s", "echo raw")).toMatchObject({ text: "raw\r\n" });
  const { text } = await run("exec", "--json", "s", "cd /; pwd");
  expect(JSON.parse(text)).toMatchObject({ outcome: "done", exit_code: 0, cwd: "/", text: "/\n", truncated: false });
  expect(await run("exec", "--timeout", "100ms", "s", "sleep 600")).toMatchObject({ exitCode: 124, text: "" });
  expect(await run("exec", "s", "true")).toMatchObject({ exitCode: 125 });
  const { stderr } = await run("exec", "s", "true");
  expect(stderr).toContain("the shell is busy");
  // It was "holt wait ID".
  expect(stderr).toContain("`holt wait s --until prompt`");
  expect(JSON.parse((await run("commands", "s", "--json", "-n", "1")).text)).toMatchObject({
    shell: "bash",
    commands: [{ command: "sleep 600", exit_code: null, output_end: null }],
  });
});
