/**
 * Found by a newcomer: with a PROMPT_COMMAND that takes a second, `holt wait --until prompt` came back at once, the screen was empty, and what was typed then
 * was echoed twice, once by the terminal and once by the line editor. The shell's mark comes before the person's own hooks and the commands in their
 * prompt: at its prompt is a shell whose prompt is drawn, and which reads.
 */
import { describe, expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../chaos/size.ts";
import { BARE, codeOf, LiveShell, quoted } from "./shells.ts";

/** Held by a file, so that the prompt comes when the test says so, and not after a time. */
const HELD = "while [ ! -e $HOME/go ]; do sleep 0.01; done; : > $HOME/asked";
const PROMPT = "P> ";

const SLOW: readonly [string, readonly string[], Record<string, string>][] = [
  ["a PROMPT_COMMAND", ["bash"], { ".bashrc": `PROMPT_COMMAND='${HELD}'; PS1='${PROMPT}'\n` }],
  ["a list of them", ["bash"], { ".bashrc": `PROMPT_COMMAND=(true '${HELD}' true); PS1='${PROMPT}'\n` }],
  [
    "one that makes the prompt anew each time",
    ["bash"],
    { ".bashrc": `draw() { ${HELD}; PS1='line one\\n${PROMPT}'; }; PROMPT_COMMAND=draw; PS0='[\\t]\\n'\n` },
  ],
  ["a command in PS1", ["bash"], { ".bashrc": `hold() { ${HELD}; }; PS1='$(hold)${PROMPT}'\n` }],
  ["precmd", ["zsh"], { ".zshrc": `precmd() { ${HELD} }; PS1='${PROMPT}'\n` }],
  ["a precmd function", ["zsh"], { ".zshrc": `hold() { ${HELD} }; precmd_functions+=(hold); PS1='${PROMPT}'\n` }],
  ["a command in PROMPT", ["zsh"], { ".zshrc": `hold() { ${HELD} }; setopt promptsubst; PS1='$(hold)${PROMPT}'\n` }],
  [
    "fish_prompt",
    ["fish"],
    {
      ".config/fish/config.fish": `function fish_prompt; sh -c '${HELD}'; echo -n '${PROMPT}'; end\nset -g fish_greeting\n`,
    },
  ],
];

describe.each(SLOW)("%s that takes its time", (_, argv, files) => {
  test("is waited for, and the prompt is on the screen when the wait is over", async () => {
    await using live = await LiveShell.start(argv, files);
    expect((await live.bench.run(["wait", "s", "--until", "prompt", "--timeout", "300ms"])).exitCode).toBe(124);
    const waiting = live.prompt();
    writeFileSync(join(live.bench.root, "home", "go"), "");
    expect(await waiting).toBe(0);
    expect(existsSync(join(live.bench.root, "home", "asked"))).toBe(true);
    expect((await live.screen()).at(-1)).toBe(PROMPT.trim());
    await live.send("--text", "echo ty''ped", "--enter");
    await live.prints("typed\r\n");
    expect(await live.prompt()).toBe(0);
    expect((await live.screen()).filter((line) => line.includes("ty''ped"))).toEqual([`${PROMPT}echo ty''ped`]);
    expect(await live.text("echo fine")).toBe("fine\n");
  });
});

test("a prompt that is not there yet keeps a command waiting for as long as that may wait", async () => {
  await using live = await LiveShell.start(["bash"], { ".bashrc": `hold() { ${HELD}; }; PS1='$(hold)${PROMPT}'\n` });
  expect(await codeOf(live.exec("echo no", { timeoutMs: 2200 }))).toBe(
    "EBUSY: the shell has not come to its prompt yet",
  );
  const running = live.text("echo yes");
  writeFileSync(join(live.bench.root, "home", "go"), "");
  expect(await running).toBe("yes\n");
});

/** The client gave up before the holder did, and told people to kill a holder that was well. */
test("a prompt that is not there yet is told so, however short the time was that the command had", async () => {
  await using live = await LiveShell.start(["bash"], { ".bashrc": `hold() { ${HELD}; }; PS1='$(hold)${PROMPT}'\n` });
  expect(await codeOf(live.exec("echo no", { timeoutMs: 100 }))).toBe(
    "EBUSY: the shell has not come to its prompt yet",
  );
  writeFileSync(join(live.bench.root, "home", "go"), "");
  expect(await live.text("echo yes")).toBe("yes\n");
});

test("a PROMPT_COMMAND that asks the terminal something and reads the answer is not taken for the prompt", async () => {
  const ask = String.raw`printf '\e[6n'; IFS= read -rsd R at; asked=$((asked + 1)); ${HELD}`;
  await using live = await LiveShell.start(["bash"], {
    ".bashrc": `PROMPT_COMMAND=(${quoted("bash", ask)})\nPS1='$ '\n`,
  });
  const running = live.text("echo $asked");
  writeFileSync(join(live.bench.root, "home", "go"), "");
  expect(await running).toBe("1\n");
  for (const round of ["2", "3", "4"]) expect(await live.text("echo $asked")).toBe(`${round}\n`);
});

/** What was typed as PROMPT_COMMAND took the place of the hook, and the shell looked busy from then on. */
test.each([
  "PROMPT_COMMAND='x=1'",
  'PROMPT_COMMAND="x=1; $PROMPT_COMMAND"',
  "PROMPT_COMMAND+=('x=1')",
  'PROMPT_COMMAND=("x=1" "${PROMPT_COMMAND[@]}")',
])("in bash, %s at the prompt leaves it as it was", async (line) => {
  await using live = await LiveShell.start(["bash"], { ".bashrc": "PROMPT_COMMAND='y=1'\n" });
  await live.prompt();
  await live.send("--text", line, "--enter");
  await until("it is told of", () => live.commands().some(({ command }) => command === line));
  expect(await live.prompt()).toBe(0);
  expect(await live.text("echo $x$y")).toBe("11\n");
  expect(await live.text("echo ${PROMPT_COMMAND[-1]}")).toBe("{ __holt_prompt; } 2>/dev/null\n");
  expect(live.commands().map(({ exit_code }) => exit_code)).toEqual([0, 0, 0]);
});

test("a shell without a line editor is at its prompt, though it can be given nothing", async () => {
  await using live = await LiveShell.start(BARE.bash);
  await live.exec("set +o emacs +o vi");
  expect(await live.prompt()).toBe(0);
  expect(await codeOf(live.exec("echo no"))).toBe("EBUSY: the shell shows its prompt, but reads no keys");
});
