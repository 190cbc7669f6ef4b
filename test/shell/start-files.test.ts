/** The files that a shell reads at its start, with holt's integration and without it. */
import { describe, expect, test } from "bun:test";
import { BARE, codeOf, LiveShell } from "./shells.ts";

describe("its own files", () => {
  test.each([
    ["bash", ["bash"], { ".bashrc": "echo from its file; x=mine; PROMPT_COMMAND='y=hook'; alias ll='echo alias'\n" }],
    ["bash -l", ["bash", "-l"], { ".bash_profile": "echo from its file; x=mine; shopt login_shell\n" }],
    ["zsh", ["zsh"], { ".zshenv": "e=env\n", ".zshrc": "echo from its file; x=mine; precmd() { y=hook }\n" }],
    ["zsh -l", ["zsh", "-l"], { ".zprofile": "echo from its file\n", ".zlogin": "x=mine\n" }],
  ] as const)("of %s are read as without holt", async (name, argv, files) => {
    await using live = await LiveShell.start([...argv], files);
    expect(await live.text("echo $x")).toBe("mine\n");
    expect(live.bench.output("s").toString()).toContain("from its file\r\n");
    if (name === "bash") expect(await live.text("ll; echo $y")).toBe("alias\nhook\n");
    if (name === "bash -l") expect(live.bench.output("s").toString()).toMatch(/login_shell\s+on/);
    if (name === "zsh") expect(await live.text("echo $e $y ${ZDOTDIR#$HOME}.")).toBe("env hook .\n");
  });

  test("another rcfile is read instead of ~/.bashrc", async () => {
    await using live = await LiveShell.start(["bash", "--rcfile", "home/other"], {
      other: "x=other\n",
      ".bashrc": "x=usual\n",
    });
    expect(await live.text("echo $x")).toBe("other\n");
  });

  test("of fish are read as without holt", async () => {
    await using live = await LiveShell.start(["fish"], {
      ".config/fish/config.fish": "echo from config; set -g x mine\n",
    });
    expect(await live.text("echo $x")).toBe("mine\n");
    expect(live.bench.output("s").toString()).toContain("from config\r\n");
  });

  test("asked not to, holt leaves a shell as it is", async () => {
    await using live = await LiveShell.start(BARE.bash, {}, ["--no-shell-integration"]);
    expect(await codeOf(live.exec("echo no"))).toBe("EBADARGS: this session is no integrated shell");
    expect(live.sessions.commands("s", 10)).toEqual({ shell: null, commands: [] });
  });
});
