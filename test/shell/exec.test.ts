/** `session.exec` where shells are difficult. What holds for all three is tried in all three. */
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../chaos/size.ts";
import { BARE, codeOf, LiveShell, quoted, SHELLS, textOf } from "./shells.ts";

describe.each(SHELLS)("in %s", (shell) => {
  test("directory, variables and functions stay, and so does the exit code of the last command", async () => {
    await using live = await LiveShell.start(BARE[shell]);
    const set = shell === "fish" ? "set v 5; function f; echo called; end" : "v=5; declare w=6; f() { echo called; }";
    expect(await live.exec(`cd /usr/share\n${set}`)).toMatchObject({
      exit_code: 0,
      cwd: "/usr/share",
      outcome: "done",
    });
    expect(await live.text(shell === "fish" ? "echo $v; f; pwd" : "echo $v$w; f; pwd")).toBe(
      shell === "fish" ? "5\ncalled\n/usr/share\n" : "56\ncalled\n/usr/share\n",
    );
    expect(await live.exec("sh -c 'exit 42'")).toMatchObject({ exit_code: 42 });
    expect(await live.text(shell === "fish" ? "echo $status" : "echo $?")).toBe("42\n");
  });

  test("quotes within quotes, history marks and tabs reach it as they are", async () => {
    await using live = await LiveShell.start(BARE[shell]);
    const nested = `it's "so" \\ $x \`y\` !! !$ ^a^b^ \t\ttab`;
    const twice = quoted("bash", `printf %s ${quoted("bash", nested)}`);
    expect(
      await live.text(`sh -c ${shell === "fish" ? quoted("fish", `printf %s ${quoted("bash", nested)}`) : twice}`),
    ).toBe(nested);
  });

  test("a command line far longer than a terminal's line arrives whole", async () => {
    await using live = await LiveShell.start(BARE[shell]);
    const long = "0123456789".repeat(20_000);
    expect(await live.text(`echo ${quoted(shell, long)} | wc -c`)).toMatch(/^\s*200001\n$/);
  });

  test("a command that reads gets what is sent while it runs", async () => {
    await using live = await LiveShell.start(BARE[shell]);
    const running = live.exec("echo ready; head -n 1 | tr a-z A-Z");
    await live.prints("ready\r\n");
    await live.send("--text", "typed", "--enter");
    expect(textOf(await running)).toBe("ready\r\ntyped\r\nTYPED\r\n"); // with the terminal's echo
    expect(await live.text("echo next")).toBe("next\n");
  });

  test("ctrl-c ends the command with 130, and the shell goes on", async () => {
    await using live = await LiveShell.start(BARE[shell]);
    // Printed by what has the terminal: zsh may miss the key between its own echo and the fork.
    const running = live.exec("sh -c 'echo begun; exec sleep 600'");
    await live.prints("begun\r\n");
    await live.send("--keys", "ctrl-c");
    const result = await running;
    expect(result).toMatchObject({ outcome: "done", exit_code: 130 });
    expect(textOf(result)).toStartWith("begun\r\n^C");
    expect(await live.text("echo still here")).toBe("still here\n");
  });

  test("a syntax error is told with its message and code, and nothing is left of it", async () => {
    await using live = await LiveShell.start(BARE[shell]);
    const result = await live.exec("echo 'never ended");
    expect(result.outcome).toBe("done");
    expect(result.exit_code).not.toBe(0);
    expect(textOf(result)).toMatch(/unexpected EOF|unmatched|Unexpected end of string/i);
    expect(await live.text("echo fine")).toBe("fine\n");
  });

  test("what is not done in time goes on, can be waited for, and says what it came to", async () => {
    await using live = await LiveShell.start(BARE[shell]);
    const file = join(live.bench.root, "go");
    const result = await live.exec(`echo first; sh -c 'until [ -e ${file} ]; do sleep 0.02; done; exit 9'`, {
      timeoutMs: 300,
    });
    expect(result).toMatchObject({ outcome: "running", exit_code: null, ended_at: null });
    expect(textOf(result)).toBe("first\r\n");
    expect(await codeOf(live.exec("echo no"))).toMatch(
      /^EBUSY: the shell is busy: it runs "echo first; sh -c .*has the terminal$/,
    );
    const waiting = live.prompt();
    writeFileSync(file, "");
    expect(await waiting).toBe(0);
    expect(await live.ended()).toMatchObject({ exit_code: 9, by: "exec", output_start: result.output_start });
    expect(await live.text("echo free again")).toBe("free again\n");
  });

  test("exit ends the session, and is answered with its code", async () => {
    await using live = await LiveShell.start(BARE[shell]);
    const result = await live.exec("echo bye; exit 5");
    expect(result).toMatchObject({ outcome: "session_ended", exit_code: 5 });
    expect(textOf(result)).toStartWith("bye\r\n");
    expect(live.sessions.get("s")).toMatchObject({ state: "exited", exit_code: 5 });
    expect(await codeOf(live.exec("echo no"))).toBe("ESESSIONCLOSED: session s has ended");
    expect(live.commands()).toMatchObject([{ command: "echo bye; exit 5" }]);
  });

  test("a shell that becomes another program says so", async () => {
    await using live = await LiveShell.start(BARE[shell]);
    const result = await live.exec("exec sh -c 'echo other; exec sleep 600'");
    expect(result).toMatchObject({ outcome: "replaced", exit_code: null });
    await live.prints("other\r\n");
    expect(await codeOf(live.exec("echo no"))).toStartWith("EBADARGS: the shell has become another program");
    expect((await live.bench.run(["wait", "s", "--until", "prompt"])).stderr).toContain("another program");
  });

  test.each(SHELLS)("`exec` of a shell (%s) is joined again with the next command, however often", async (next) => {
    await using live = await LiveShell.start(BARE[shell]);
    for (const round of ["1", "2"]) {
      expect(await live.exec(`exec ${BARE[next].join(" ")}`)).toMatchObject({ outcome: "replaced" });
      expect(await live.text(`echo round ${round}`)).toBe(`round ${round}\n`);
      expect(await live.exec("sh -c 'exit 3'")).toMatchObject({ exit_code: 3, outcome: "done" });
      if (next !== shell) break;
    }
    expect(await live.prompt()).toBe(0);
    await live.send("--text", "echo ty''ped", "--enter");
    await live.prints("typed\r\n");
    await live.prompt(); // what is printed can be read a moment before the holder has seen what it says of commands
    expect((await live.ended()).command).toBe("echo ty''ped");
  });

  test("who types in a shell that was put in its place is not interfered with", async () => {
    await using live = await LiveShell.start(BARE[shell]);
    expect(await live.exec(`exec ${BARE[shell].join(" ")}`)).toMatchObject({ outcome: "replaced" });
    await live.bench.run(["wait", "s", "--until", "input"]);
    await live.send("--text", "echo un");
    expect(await codeOf(live.exec("echo no"))).toStartWith("EBADARGS: the shell has become another program");
    await live.send("--text", "touc''hed", "--enter");
    await live.prints("untouched\r\n");
    expect(await live.text("echo yes")).toBe("yes\n");
  });

  /** Found by a newcomer: our own names were taken to be what they are at first. */
  test("a person's own eval, printf, read and echo are not ours, and their errexit does the shell no harm", async () => {
    await using live = await LiveShell.start(BARE[shell]);
    const names = ["printf", "read", "echo", "eval"];
    const define = shell === "fish" ? (name: string) => `function ${name}; end` : (name: string) => `${name}() { :; }`;
    await live.exec(names.map(define).join("\n"));
    expect(await live.text("/bin/echo one")).toBe("one\n");
    if (shell === "fish") return;
    await live.exec(`unset -f ${names.join(" ")}; set -e`);
    expect(await live.text("/bin/echo two")).toBe("two\n");
    expect(await live.text("/bin/echo three")).toBe("three\n");
  });

  test("marks that a program prints are its output and nothing else, also those of this very session", async () => {
    await using live = await LiveShell.start(BARE[shell]);
    await live.exec("echo before");
    const transcript = join(live.bench.state, "sessions", "s", "output.bin");
    const printed = readFileSync(transcript);
    const result = await live.exec(`cp ${transcript} t; cat t; echo after; sh -c 'exit 3'`);
    expect(result.exit_code).toBe(3);
    expect(textOf(result)).toStartWith(printed.toString().slice(0, 40).replaceAll("\n", "\r\n").slice(0, 30));
    expect(textOf(result)).toEndWith("after\r\n");
    expect(live.commands()).toHaveLength(2);
  });

  test("changing the prompt and taking holt's hooks away does not end it", async () => {
    await using live = await LiveShell.start(BARE[shell]);
    const away = {
      bash: "PROMPT_COMMAND=; PS0=; unset HISTIGNORE PROMPT_COMMAND; PS1='new> '; PROMPT_COMMAND='echo hook'",
      zsh: "precmd_functions=(); preexec_functions=(); PS1='new> '; precmd() { echo hook }",
      fish: "function fish_prompt; echo 'new> '; end",
    };
    expect(await live.exec(away[shell])).toMatchObject({ exit_code: 0 });
    expect(await live.text("echo one")).toBe("one\n");
    expect(await live.text("printf two")).toBe("two");
    await live.send("--text", "echo typed", "--enter");
    await live.prints("typed\r\n");
    await live.prompt();
    expect(live.commands().at(-1)).toMatchObject({ by: "typed", command: "echo typed", exit_code: 0 });
  });

  test("a background job that prints later prints into whatever is there then, and harms nothing", async () => {
    await using live = await LiveShell.start(BARE[shell]);
    const file = join(live.bench.root, "go");
    await live.exec(`sh -c 'until [ -e ${file} ]; do sleep 0.02; done; echo from behind; : > ${file}2' &`);
    const result = live.exec(`printf '' > ${file}; sh -c 'until [ -e ${file}2 ]; do sleep 0.02; done'; echo mine`);
    expect(textOf(await result)).toContain("from behind\r\n");
    expect(textOf(await result)).toContain("mine\r\n");
    expect(await live.text("echo later")).toContain("later\n");
  });

  test("a program on the alternate screen, and clear, leave it as it was", async () => {
    await using live = await LiveShell.start(BARE[shell]);
    const running = live.exec("seq 200 | less -X; clear; echo done");
    await until("less waits for a key", () => live.bench.output("s").includes("\x1b["));
    await live.prints("39\r\n");
    await live.send("--keys", "q");
    const result = await running;
    expect(result).toMatchObject({ outcome: "done", exit_code: 0 });
    expect(textOf(result)).toEndWith("done\r\n");
    expect(await live.text("echo after")).toBe("after\n");
  });

  test("somebody who has typed at the prompt is not interfered with", async () => {
    await using live = await LiveShell.start(BARE[shell]);
    await live.exec("echo ready");
    expect(await live.prompt()).toBe(0);
    await live.send("--text", "echo half a li");
    expect(await codeOf(live.exec("echo no"))).toStartWith("EBUSY: an unfinished line is at the shell's prompt");
    await live.send("--text", "ne", "--enter");
    await live.prints("half a line\r\n");
    expect(await live.prompt()).toBe(0);
    expect(await live.text("echo yes")).toBe("yes\n");
    await live.send("--text", "dropped");
    await live.reads();
    await live.send("--keys", "ctrl-c");
    expect(await live.prompt()).toBe(0);
    expect(await live.text("echo again")).toBe("again\n");
  });

  test("of two at once one is run, and the other is told that the shell is busy", async () => {
    await using live = await LiveShell.start(BARE[shell]);
    await live.exec("echo ready");
    const both = await Promise.all([codeOf(live.exec("sleep 0.3")), codeOf(live.exec("sleep 0.3"))]);
    expect(both.toSorted()).toMatchObject([expect.stringMatching(/^EBUSY/), "no error"]);
  });

  test("typed ahead of a prompt, a half line is dropped and a whole one comes first", async () => {
    await using live = await LiveShell.start(BARE[shell]);
    const running = live.exec("echo begun; sleep 0.4");
    await live.prints("begun\r\n");
    await live.send("--text", "echo ahead\nhalf");
    await running;
    await until("it was run", () => live.commands().some(({ command }) => command === "echo ahead"));
    await live.prompt();
    expect(await live.text("echo own")).toBe("own\n");
  });

  test("it leaves the person's history alone, and asks nothing of holt once holt is gone", async () => {
    await using live = await LiveShell.start(BARE[shell]);
    await live.exec("echo secret-of-exec");
    await live.send("--text", "echo typed", "--enter");
    await live.prints("typed\r\n");
    await live.prompt();
    expect(await live.text(shell === "zsh" ? "fc -l 1" : "history")).not.toMatch(/__holt|secret-of-exec/);
    expect(await live.text("env")).not.toContain("__HOLT");
    for (const name of readdirSync(join(live.bench.state, "run")).filter((entry) => entry.startsWith("shell-")))
      expect(statSync(join(live.bench.state, "run", name)).mode & 0o777).toBe(0o700);
    expect(existsSync(join(live.bench.state, "sessions", "s", "inbox"))).toBe(false);
  });
});
