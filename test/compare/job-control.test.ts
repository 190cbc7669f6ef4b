import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { processStatus } from "../../src/platform/process/processes.ts";
import { Bench, HOLT } from "../support/holt.ts";
import { TerminalUser } from "../support/terminal.ts";
import { compare, PROMPT } from "./side-by-side.ts";

const NOTES = Array.from({ length: 60 }, (_, i) => `line ${i + 1}`).join("\n");
const VIM = "via vim -u NONE -N -i NONE -n notes.txt";
const STOPPED = /alternate screen 0[^]*Stopped +via [^\n]+\n\S*\$$/;

describe("Ctrl-Z", () => {
  compare("in vim gives the shell back and fg returns to vim", async (pair) => {
    pair.file("notes.txt", `${NOTES}\n`);
    await pair.shell(VIM, /60L, \d+B$/);
    await pair.keys(["ofirst", "Escape"], /\nfirst\n/);
    for (const word of ["second", "third"]) {
      await pair.keys(["C-z"], STOPPED);
      await pair.shell("jobs; stty -a | grep -c icanon; echo 'in the shell'", /in the shell\n\$$/);
      await pair.shell("fg", /alternate screen 1[^]*line 2/);
      await pair.keys([`o${word}`, "Escape"], new RegExp(`\n${word}\n`));
    }
    await pair.keys(["-l", ":q!"], ":q!");
    await pair.keys(["Enter"], PROMPT);
  });

  compare("in vim, and a resize before fg, redraws at the new size", async (pair) => {
    pair.file("notes.txt", `${NOTES}\n`);
    await pair.shell(VIM, /60L, \d+B$/);
    await pair.keys(["C-z"], STOPPED);
    await pair.resized(72, 40, "size 72x40");
    await pair.shell("fg", /alternate screen 1[^]*line 39/);
    await pair.keys(["-l", ":q!"], ":q!");
    await pair.keys(["Enter"], PROMPT);
  });

  compare("in vim by :suspend, :sh and :!command come and go as without holt", async (pair) => {
    pair.file("notes.txt", `${NOTES}\n`);
    await pair.shell(VIM, /60L, \d+B$/);
    await pair.keys(["-l", ":suspend\n"], STOPPED);
    await pair.shell("fg %1", /alternate screen 1[^]*line 28/);
    await pair.keys(["-l", ":!echo from the $((40+2))\n"], /from the 42\n+Press ENTER/);
    await pair.keys(["Enter"], /line 28/);
    await pair.keys(["-l", ":set shell=sh | sh\n"], /alternate screen 0[^]*\$$/);
    await pair.keys(["-l", "exit\n"], /alternate screen 1[^]*line 28/);
    await pair.keys(["-l", ":q!\n"], PROMPT);
  });

  compare("in a curses program and in less come and go as without holt", async (pair) => {
    pair.file("tui.py", readFileSync(new URL("../fixtures/tui.py", import.meta.url)));
    pair.file("notes.txt", `${NOTES}\n`);
    await pair.shell("via python3 tui.py", "nothing yet");
    await pair.keys(["m"], /mouse any 1/);
    await pair.keys(["C-z"], /mouse any 0[^]*Stopped/);
    await pair.shell("fg", /alternate screen 1[^]*mouse any 1[^]*mouse on/);
    await pair.keys(["q"], PROMPT);
    await pair.shell("via less notes.txt", /notes\.txt$/);
    await pair.keys(["C-z"], STOPPED);
    await pair.shell("fg", /line 29/);
    await pair.keys(["q"], PROMPT);
  });

  // A hang-up continues what is stopped. Of something that ran already, that once was remembered and undid the next stop.
  // And a key pressed before `fg` had continued the command once went to the leader, which died of it.
  test("stops a program that has survived a hang-up, and Ctrl-C right after fg is for the program", async () => {
    using bench = new Bench({ HOLT, PS1: "$ " });
    writeFileSync(
      `${bench.root}/loop.py`,
      `import signal, time
signal.signal(signal.SIGHUP, lambda *_: print("heard", flush=True))
signal.signal(signal.SIGINT, signal.SIG_DFL)
print("ready", flush=True)
while True: time.sleep(0.02)`,
    );
    await using user = new TerminalUser(["bash", "--norc"], { env: bench.env, cwd: bench.root });
    await user.sees("$ ");
    user.type('"$HOLT" run -- python3 loop.py\n');
    await user.sees("ready");
    const { holder, process: command } = bench.meta();
    process.kill(holder.pid, "SIGHUP");
    await user.sees("heard");
    user.type("\x1a");
    await user.sees(/Stopped[^]*\$ $/);
    expect(processStatus(command?.pid ?? 0)?.state).toBe("T");
    const from = user.text.length;
    user.type("fg\n");
    // Not before: bash says what it continues before it gives the terminal away.
    while (processStatus(holder.pid)?.state === "T") await Bun.sleep(1);
    user.type("\x03");
    await user.sees(/\^C[^]*\$ $/, { from });
    expect(bench.final()).toMatchObject({ state: "signaled", signal: "SIGINT" });
    user.type("exit\n");
    await user.exit();
  });

  compare("a job that is killed while it is stopped is gone as without holt", async (pair) => {
    pair.file("notes.txt", `${NOTES}\n`);
    await pair.shell(VIM, /60L, \d+B$/);
    await pair.keys(["C-z"], STOPPED);
    await pair.shell('kill -KILL %1; while [ -n "$(jobs -s)" ]; do :; done', /Killed[^]*\n\$$/);
  });
});

describe("keys that are signals", () => {
  compare("Ctrl-C, Ctrl-backslash and Ctrl-D end what they end without holt", async (pair) => {
    pair.file("run", 'echo running $1; exec "$@"');
    await pair.shell("ulimit -c 0; via sh run sleep 99", /running sleep$/);
    await pair.keys(["C-c"], /\^C\n\$$/);
    await pair.shell("echo code $?; via sh run sleep 98", /code 130\nrunning sleep$/);
    await pair.keys(["C-\\"], /Quit[^\n]*\n\$$/);
    await pair.shell("echo code $?; via sh run cat", /code 131\nrunning cat$/);
    await pair.keys(["-l", "typed\n"], /typed\ntyped$/);
    await pair.keys(["C-d"], /typed\n\$$/);
    await pair.shell("via sh -c 'kill -TERM $$'", /Terminated[^]*\n\$$/);
    await pair.shell("via sh -c 'kill -SEGV $$'", /Segmentation[^]*\n\$$/);
    await pair.shell("for i in 1 2 3; do via sh run sleep 97; done; echo after", /running sleep$/);
    await pair.keys(["C-c"], /\^C\n\$$/);
  });

  compare("the line editing of a plain terminal is the same", async (pair) => {
    await pair.shell("via sh -c 'echo ready; exec cat'", /\nready$/);
    await pair.keys(["-l", "one two three"], "one two three");
    await pair.keys(["C-w"], /one two$/);
    await pair.keys(["BSpace", "BSpace"], /one tw$/);
    await pair.keys(["C-v", "C-c"], /one tw\^C$/);
    await pair.keys(["C-u", "日本"], /\n日本$/);
    await pair.keys(["BSpace"], /\n日$/);
    await pair.keys(["Enter"], /日\n日$/);
    await pair.keys(["-l", "\tafter a tab\n"], / {8}after a tab\n {8}after a tab$/);
    await pair.keys(["C-d"], PROMPT);
  });
});

describe("holt inside holt", () => {
  compare("a shell, and in it vim, look as they do without either", async (pair) => {
    pair.file("notes.txt", `${NOTES}\n`);
    await pair.shell("PS1='inner$ ' via bash --norc --noprofile", /inner\$$/);
    await pair.shell(VIM, /60L, \d+B$/);
    await pair.resized(72, 20, /line 19/);
    await pair.keys(["C-z"], STOPPED);
    await pair.shell("fg", /alternate screen 1[^]*line 19/);
    await pair.keys(["-l", ":q!\n"], /alternate screen 0[^]*inner\$$/);
    await pair.shell("exit 5", /\n\$$/);
    await pair.shell("echo code $?", /code 5\n\$$/);
  });

  compare("three deep, a paste and a resize arrive where they should", async (pair) => {
    pair.file("notes.txt", `${NOTES}\n`);
    await pair.shell("via via via vim -u NONE -N -i NONE -n notes.txt", /60L, \d+B$/);
    await pair.keys(["-l", `i\x1b[200~${"pasted ".repeat(200)}\x1b[201~`], /pasted pasted/);
    await pair.keys(["Escape"], /pasted pasted/);
    await pair.resized(50, 50, /size 50x50[^]*line 20/);
    await pair.keys(["-l", ":q!\n"], PROMPT);
  });
});
