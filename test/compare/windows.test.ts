/** What happens to the window itself at the worst moment. tmux resizes with a delay of its own, so these have a terminal to themselves. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { isSame } from "../../src/platform/process/processes.ts";
import { Bench, HOLT } from "../support/holt.ts";
import { TerminalUser } from "../support/terminal.ts";

const NOBODY = { pid: 0, start_time: null, boot_id: null };
const SIDES = [
  ["bare", []],
  ["through holt", [HOLT, "run", "--"]],
] as const;

describe.each(SIDES)("%s", (_, prefix) => {
  function at(bench: Bench, argv: readonly string[]): TerminalUser {
    const env = { ...bench.env, HOME: bench.root, PS1: "ready $ " };
    return new TerminalUser([...prefix, ...argv], { env, cwd: bench.root, cols: 80, rows: 24 });
  }

  test("a window resized while the program starts has its size in the program", async () => {
    const until = 'until [ "$(stty size)" = "20 70" ]; do sleep 0.01; done; echo right';
    for (let delay = 0; delay < 100; delay += 4) {
      using bench = new Bench();
      await using user = at(bench, ["sh", "-c", until]);
      await Bun.sleep(delay);
      user.resize(70, 20);
      await user.sees("right", { ms: 5000 });
      await user.exit();
    }
  });

  test.each([
    ["a line", "one\n", "one\r\n", "one\n"],
    ["lines and an end of file", "one\ntwo\n\x04", "one\r\ntwo\r\n", "one\ntwo\n"],
    ["half a line and an end of file", "half\x04\x04", "half", "half"],
    ["a line that was edited", "onx\x7fe\n", "onx\b \be\r\n", "one\n"],
    ["half a line", "ha", "ha", "half\n"],
  ])("%s typed before the program reads is shown once and reaches it", async (what, typed, shown, reached) => {
    using bench = new Bench();
    await using user = at(bench, ["sh", "-c", "stty -g > /dev/null; cat > reached; echo over"]);
    user.type(typed);
    await user.sees(shown);
    if (what === "half a line") {
      await user.sees(/./);
      user.type("lf\n\x04");
    } else if (!typed.includes("\x04")) user.type("\x04");
    await user.exit();
    expect(readFileSync(`${bench.root}/reached`, "utf8")).toBe(reached);
    expect(user.text).toBe(`${what === "half a line" ? "half\r\n" : shown}over\r\n`);
  });

  test("what is typed as the program ends is for the shell", async () => {
    using bench = new Bench({ PS1: "$ ", BARE: prefix.join(" ") });
    await using user = new TerminalUser(["bash", "--norc"], { env: bench.env, cwd: bench.root });
    await user.sees("$ ");
    // Something left behind has the terminal open, so holt looks for its last words for a moment.
    user.type("$BARE sh -c 'sleep 60 & echo $! en\"\"ded'\n");
    await user.sees("ended");
    // Once it is gone, and holt may know: typed sooner, it would be the program's. Later it is the shell's in any case.
    while (prefix.length > 0 && isSame(bench.meta().process ?? NOBODY)) await Bun.sleep(1);
    await Bun.sleep(40);
    user.type("echo typed $((40 + 2))\n");
    await user.sees("typed 42");
    process.kill(Number(/(\d+) ended/.exec(user.text)?.[1]), "SIGKILL");
    user.type("exit\n");
    await user.exit();
  });

  test.each([
    ["waits for a key", ["sh", "-c", "echo ready; read x"]],
    ["ignores the hang-up and goes on reading", ["sh", "-c", "trap '' HUP; echo ready; cat"]],
    ["is vim, in which a shell was opened", ["vim", "-u", "NONE", "-N", "-n", "-c", "set shell=sh", "-c", "sh"]],
    ["is a shell with a job in front", ["bash", "--norc", "-ic", "echo ready; cat"]],
  ])("a window closed on a program that %s ends it", async (__, argv) => {
    using bench = new Bench();
    await using user = at(bench, argv);
    await user.sees("ready");
    user.hangUp();
    const left = Bun.sleep(5000).then(() => "still there");
    expect(await Promise.race([user.exit(), left])).not.toBe("still there");
  });
});
