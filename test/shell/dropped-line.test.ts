/** What Ctrl-C at a prompt makes of it, whether or not the shell says so with a new one. */
import { describe, expect, test } from "bun:test";
import { processStatus } from "../../src/platform/process/processes.ts";
import { until } from "../chaos/size.ts";
import { BARE, codeOf, LiveShell, SHELLS } from "./shells.ts";

/**
 * Seen on a busy machine: a bash that is about to show its prompt forgets a Ctrl-C, and shows none after it. It counted as somebody's line that is not finished: nobody was told of the
 * prompt, and no command let in, until somebody pressed another key. A shell that ignores the key is like that every time.
 */
test.each(["bash", "zsh"] as const)("in %s a Ctrl-C that it ignores leaves it at its prompt", async (shell) => {
  await using live = await LiveShell.start(BARE[shell]);
  await live.exec("trap '' INT");
  expect(await live.prompt()).toBe(0);
  await live.send("--keys", "ctrl-c");
  expect(await live.prompt()).toBe(0);
  expect(await live.text("echo on")).toBe("on\n");
  // But a line that it has read it has still.
  expect(await live.prompt()).toBe(0);
  await live.send("--text", "half a line");
  await live.reads();
  await live.send("--keys", "ctrl-c");
  expect(await codeOf(live.exec("echo no"))).toStartWith("EBUSY: an unfinished line is at the shell's prompt");
  expect(live.commands().map(({ command }) => command)).toEqual(["trap '' INT", "echo on"]);
});

/**
 * fish was taken to be at its prompt again as soon as the key was typed. On a busy machine it had not dropped its line by then, and dropped what was typed next as well.
 */
describe.each(SHELLS)("in %s", (shell) => {
  test("a line is dropped when the shell has done so, not when it is told to", async () => {
    await using live = await LiveShell.start(BARE[shell]);
    expect(await live.prompt()).toBe(0);
    const { process: born } = live.bench.meta("s");
    const pid = born?.pid ?? 0;
    process.kill(pid, "SIGSTOP");
    try {
      await until("it is stopped", () => processStatus(pid)?.state === "T");
      await live.send("--keys", "ctrl-c");
      const { exitCode } = await live.bench.run(["wait", "s", "--until", "prompt", "--timeout", "100ms"]);
      expect(exitCode).toBe(124);
    } finally {
      process.kill(pid, "SIGCONT");
    }
    expect(await live.prompt()).toBe(0);
    expect(await live.text("echo on")).toBe("on\n");
  });
});
