import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { Bench, HOLT } from "../support/holt.ts";
import { TerminalUser } from "../support/terminal.ts";

const ECHO = 8;
const ICANON = 2;

function at(bench: Bench, argv: string[], size?: { cols: number; rows: number }): TerminalUser {
  return new TerminalUser(argv, { env: { ...bench.env, HOLT }, cwd: bench.root, ...size });
}

describe("holt run on a terminal", () => {
  test("the command has a terminal of the same size, and its bytes pass unchanged", async () => {
    using bench = new Bench();
    await using user = at(bench, [HOLT, "run", "--", "sh", "-c", "stty size; tty; printf '\\033[31mred\\033[0m\\n'"], {
      cols: 101,
      rows: 31,
    });
    expect(await user.exit()).toEqual({ exitCode: 0, signal: null });
    expect(user.text).toContain("31 101\r\n/dev/pts/");
    expect(user.text).toContain("\x1b[31mred\x1b[0m\r\n");
    expect(bench.output().equals(user.bytes)).toBe(true);
    expect(bench.meta()).toMatchObject({
      transport_mode: "posix-pty",
      tty_attached: true,
      size: { cols: 101, rows: 31 },
    });
  });

  test("typing reaches the command, and echo comes from its own terminal once", async () => {
    using bench = new Bench();
    await using user = at(bench, [HOLT, "run", "--", "sh", "-c", "echo ready; read line; echo got:$line"]);
    await user.sees("ready");
    user.type("hello\n");
    expect((await user.exit()).exitCode).toBe(0);
    expect(user.text).toBe("ready\r\nhello\r\ngot:hello\r\n");
  });

  test("Ctrl-C interrupts the command once, and holt dies as the command did", async () => {
    using bench = new Bench();
    await using user = at(bench, [HOLT, "run", "--", "sh", "-c", "echo ready; exec sleep 60"]);
    await user.sees("ready");
    user.type("\x03");
    expect(await user.exit()).toEqual({ exitCode: null, signal: "SIGINT" });
    expect(bench.final()).toMatchObject({ state: "signaled", signal: "SIGINT" });
  });

  test("Ctrl-C on pipes reaches a command in the terminal's group exactly once", async () => {
    using bench = new Bench();
    const script = `trap 'n=$((n+1)); echo "int $n"' INT; echo ready; while [ -z "$n" ]; do sleep 0.05; done; sleep 0.3; echo "total $n"`;
    await using user = at(bench, ["bash", "-c", `"$HOLT" run -- bash -c '${script.replaceAll("'", `'\\''`)}' | cat`]);
    await user.sees("ready");
    // The pipe's cat dies of the same key: what counts is in the transcript.
    user.type("\x03");
    await user.exit();
    expect(bench.output().toString()).toStartWith("ready\nint 1\n");
    expect(bench.output().toString()).not.toContain("int 2");
  });

  test("a resize reaches the command and is recorded", async () => {
    using bench = new Bench();
    await using user = at(bench, [
      HOLT,
      "run",
      "--",
      "bash",
      "-c",
      "trap 'stty size; exit 0' WINCH; echo ready; while :; do sleep 0.05; done",
    ]);
    await user.sees("ready");
    user.resize(132, 43);
    await user.exit();
    expect(user.text).toContain("43 132");
    expect(bench.events()).toContainEqual(expect.objectContaining({ type: "resize", cols: 132, rows: 43 }));
  });

  test("the person's control characters are the command's", async () => {
    using bench = new Bench();
    await using user = at(bench, ["bash", "-c", `stty intr ^G erase ^H; "$HOLT" run -- stty -a`]);
    await user.exit();
    expect(user.text).toContain("intr = ^G");
    expect(user.text).toContain("erase = ^H");
  });

  test("a redirected stderr stays redirected, and is a channel of its own", async () => {
    using bench = new Bench();
    await using user = at(bench, [
      "bash",
      "-c",
      `"$HOLT" run -- sh -c 'echo out; echo err >&2' 2> err.txt; cat err.txt | tr a-z A-Z`,
    ]);
    await user.exit();
    expect(user.text).toBe("out\r\nERR\r\n");
    expect(bench.artifact("index.jsonl").toString()).toContain('"channel":"stderr"');
  });

  test("a background process left behind does not hold up holt and survives it", async () => {
    using bench = new Bench();
    await using user = at(bench, [HOLT, "run", "--", "sh", "-c", "sleep 60 & echo pid=$!"]);
    expect((await user.exit()).exitCode).toBe(0);
    const pid = Number(/pid=(\d+)/.exec(user.text)?.[1]);
    expect(process.kill(pid, 0)).toBe(true);
    process.kill(pid, "SIGKILL");
    expect(bench.final().output_complete).toBe(false);
  });

  test("all byte values pass unchanged in raw mode, both ways", async () => {
    using bench = new Bench();
    const all = Uint8Array.from({ length: 256 }, (_, i) => i);
    await using user = at(bench, [
      HOLT,
      "run",
      "--",
      "sh",
      "-c",
      "stty raw -echo; echo ready; head -c 256 | od -An -v -tx1 | tr -d ' \\n'; head -c 0; cat all.bin",
    ]);
    await Bun.write(`${bench.root}/all.bin`, all);
    await user.sees("ready");
    user.type(all);
    await user.exit();
    const hex = Buffer.from(all).toString("hex");
    expect(user.bytes.includes(hex)).toBe(true);
    expect(user.bytes.subarray(-256).equals(Buffer.from(all))).toBe(true);
    expect(bench.output().equals(user.bytes)).toBe(true);
  });

  test("a 1 MB paste into a program that sleeps is neither lost nor harmful", async () => {
    using bench = new Bench();
    const paste = Buffer.from(Array.from({ length: 131_072 }, (_, i) => i.toString(16).padStart(8, "0")).join(""));
    const script = "stty raw -echo; echo ready; sleep 1; head -c 1048576 | sha256sum";
    await using user = at(bench, [HOLT, "run", "--", "sh", "-c", script]);
    await user.sees("ready");
    user.type(paste);
    await user.exit();
    expect(user.text).toContain(new Bun.CryptoHasher("sha256").update(paste).digest("hex"));
  });
});

describe("the terminal is given back as it was", () => {
  async function settingsAfter(
    command: string,
    act: (user: TerminalUser, bench: Bench) => Promise<void>,
  ): Promise<void> {
    using bench = new Bench();
    await using user = at(bench, [
      "bash",
      "--norc",
      "-c",
      `"$HOLT" run -- ${command}; echo; stty -a | tr '\\n' ' '; echo done`,
    ]);
    await act(user, bench);
    await user.sees("done");
    expect(user.localFlags & (ECHO | ICANON)).toBe(ECHO | ICANON);
    expect(user.text).toMatch(/ opost /);
    expect(user.text).not.toContain("-icanon");
  }

  test("after a normal exit", () => settingsAfter("true", async () => {}));

  test("after a command that left its own terminal raw", () => settingsAfter("sh -c 'stty raw -echo'", async () => {}));

  test("after the command was killed", () =>
    settingsAfter("sh -c 'echo ready; kill -KILL $$'", async (user) => user.sees("ready")));

  test.each(["SIGTERM", "SIGHUP", "SIGINT"] as const)("after %s to holt", (signal) =>
    settingsAfter("sh -c 'echo ready; exec sleep 60'", async (user, bench) => {
      await user.sees("ready");
      process.kill(bench.meta().holder.pid, signal);
    }),
  );
});

describe("job control", () => {
  test("Ctrl-Z stops the command and brings the shell back, fg returns to it", async () => {
    using bench = new Bench();
    await using user = at(bench, ["bash", "--norc", "-i"]);
    await user.sees("# ");
    user.type(`PS1='prompt> '; "$HOLT" run -- sh -c 'echo be""gun; exec cat'\n`);
    await user.sees("begun");
    user.type("one\n");
    await user.sees("one\r\none\r\n");
    user.type("\x1a");
    await user.sees("Stopped");
    user.type("echo shell $((40+2))\n");
    await user.sees(/shell 42\r\n.*prompt> $/s);
    const from = user.text.length;
    user.type("fg\n");
    await user.sees("exec cat", { from });
    user.type("two\n");
    await user.sees("two\r\ntwo\r\n", { from });
    user.type("\x04");
    await user.sees("prompt> ", { from });
    user.type("exit\n");
    await user.exit();
    expect(bench.final()).toMatchObject({ state: "exited", exit_code: 0 });
  });

  test("without a shell that could stop it, Ctrl-Z is survived as without holt", async () => {
    using bench = new Bench();
    await using user = at(bench, [HOLT, "run", "--", "sh", "-c", "echo begun; exec cat"]);
    await user.sees("begun");
    user.type("one\n");
    await user.sees("one\r\none\r\n");
    user.type("\x1a");
    await user.sees("^Z");
    user.type("two\n");
    await user.sees("two\r\ntwo\r\n");
    user.type("\x04");
    expect((await user.exit()).exitCode).toBe(0);
  });

  test("started in the background it does not touch the terminal, and fg gives it over", async () => {
    using bench = new Bench();
    await using user = at(bench, ["bash", "--norc", "-i"]);
    await user.sees("# ");
    user.type(`PS1='prompt> '; "$HOLT" run -- sh -c 'echo be""gun; read x; echo got:$x' &\n`);
    await user.sees("begun");
    user.type("echo still $((40+2))\n");
    await user.sees(/still 42\r\n.*prompt> $/s);
    const from = user.text.length;
    user.type("fg\n");
    await user.sees("run --", { from });
    user.type("word\n");
    await user.sees("word\r\ngot:word", { from });
    await user.sees("prompt> ", { from });
    user.type("exit\n");
    await user.exit();
  });

  test("SIGSTOP stays in force until SIGCONT, also where no shell could take over", async () => {
    using bench = new Bench();
    await using user = at(bench, [HOLT, "run", "--", "sh", "-c", "echo begun; exec cat"]);
    await user.sees("begun");
    const pid = bench.meta().process?.pid ?? 0;
    const state = (): string | undefined => /\) (\S)/.exec(readFileSync(`/proc/${pid}/stat`, "latin1"))?.[1];
    process.kill(pid, "SIGSTOP");
    while (!bench.events().some(({ type }) => type === "stopped")) await Bun.sleep(10);
    user.type("one\n");
    await user.sees("one");
    expect(state()).toBe("T");
    process.kill(pid, "SIGCONT");
    await user.sees("one\r\none\r\n");
    user.type("\x04");
    expect((await user.exit()).exitCode).toBe(0);
  });

  test("a closed terminal ends the run and is recorded", async () => {
    using bench = new Bench();
    const user = at(bench, [HOLT, "run", "--", "sh", "-c", "echo ready; exec sleep 60"]);
    await user.sees("ready");
    const { holder, process: command } = bench.meta();
    user.hangUp();
    await user.exit();
    expect(bench.final()).toMatchObject({ state: "signaled", signal: "SIGHUP" });
    expect(() => process.kill(holder.pid, 0)).toThrow();
    expect(() => process.kill(command?.pid ?? 0, 0)).toThrow();
    await user[Symbol.asyncDispose]();
  });
});

describe("the person's pace is the command's", () => {
  test("a terminal that is not read pauses the command, and nothing is lost when it goes on", async () => {
    using bench = new Bench();
    const result = await bench.shell(`
      mkfifo slow; exec 9<>slow
      "$HOLT" run -- sh -c 'head -c 20000000 /dev/zero | tr "\\0" x; echo; echo written > /dev/stderr' > slow 2> err & pid=$!
      # Nobody reads: what holt has captured must stand still well before the end.
      size() { stat -c %s "$HOLT_STATE_DIR"/sessions/*/output.bin 2>/dev/null || echo 0; }
      last=-1; same=0; while [ $same -lt 5 ]; do sleep 0.1; now=$(size); if [ "$now" = "$last" ] && [ "$now" -gt 0 ]; then same=$((same+1)); else same=0; fi; last=$now; done
      echo "stalled at $last"; cat err
      (head -c 20000001 slow | wc -c)
      wait $pid; echo "code $?"`);
    const [, stalled] = /stalled at (\d+)/.exec(result.text) ?? [];
    expect(Number(stalled)).toBeLessThan(2_000_000);
    expect(result.text).toContain("20000001\ncode 0\n");
    expect(bench.output().length).toBe(20_000_001 + "written\n".length);
  });
});
