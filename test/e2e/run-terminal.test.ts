import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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

/** Who may type in another's place: root, and everyone where it was not forbidden (Linux 6.2 made that a setting). */
const MAY_TYPE_BACK = process.getuid?.() === 0 || setting("/proc/sys/dev/tty/legacy_tiocsti") !== "0";

function setting(path: string): string | null {
  return existsSync(path) ? readFileSync(path, "latin1").trim() : null;
}

/** A shell at its prompt. */
async function prompt(bench: Bench): Promise<TerminalUser> {
  const user = new TerminalUser(["bash", "--norc", "-i"], {
    env: { ...bench.env, HOLT, PS1: "prompt> " },
    cwd: bench.root,
  });
  await user.sees("prompt> ");
  return user;
}

/** Found by a person who types the next command while the last one runs: the keys went with the command's own terminal. */
describe.each([
  ["native", {}],
  ["without native code", { HOLT_NO_NATIVE: "1" }],
])("what is typed for the next command while this one runs, %s,", (_, extra: Record<string, string>) => {
  const WAIT = "until [ -e go ]; do sleep 0.02; done";

  async function typeAhead(bench: Bench, script: string, keys: string, seen: RegExp): Promise<TerminalUser> {
    const user = await prompt(bench);
    user.type(`"$HOLT" run -- sh -c 'echo rea""dy; ${script}'\n`);
    await user.sees("ready\r\n");
    const from = user.text.length;
    user.type(keys);
    await user.sees(seen, { from }); // echoed by the command's terminal: it has them
    writeFileSync(join(bench.root, "go"), "");
    return user;
  }

  async function leave(user: TerminalUser): Promise<void> {
    user.type("\x15exit\n");
    await user.exit();
  }

  test("goes to the shell, whole lines and the beginning of one", async () => {
    using bench = new Bench(extra);
    await using user = await typeAhead(bench, WAIT, "echo first $((40+2))\necho sec", /echo sec$/);
    if (MAY_TYPE_BACK) {
      await user.sees(/first 42\r\n.*prompt> .*echo sec$/s);
      user.type("ond $((40+3))\n");
      await user.sees("second 43");
    } else await user.sees(/prompt> .*prompt> /s);
    await leave(user);
    const lost = bench.events().filter(({ type }) => type === "typed_ahead_lost");
    expect(lost.length).toBe(MAY_TYPE_BACK ? 0 : 1);
  });

  test("is not what the command has read", async () => {
    using bench = new Bench(extra);
    await using user = await typeAhead(
      bench,
      `read line; echo got:$line; ${WAIT}`,
      "for the command\necho for $((40+2))\n",
      /got:for the command\r\n/,
    );
    if (MAY_TYPE_BACK) await user.sees("for 42");
    await leave(user);
    expect(user.text).not.toContain("not found");
  });

  test("is lost as whole lines when it is more than a terminal holds, and that is recorded", async () => {
    using bench = new Bench(extra);
    const many = `: ${"x".repeat(97)}\n`.repeat(60);
    await using user = await typeAhead(bench, `stty -echo; ${WAIT}`, `${many}: end`, /$/);
    const from = user.text.length;
    await user.sees("prompt> ", { from });
    await leave(user);
    expect(user.text).not.toContain("not found");
    expect(bench.events().filter(({ type }) => type === "typed_ahead_lost").length).toBe(1);
  });

  /** Found here: something that the command left behind took the keys first, and holt waited for them for good. */
  test("may be read by what the command leaves behind: holt ends all the same", async () => {
    using bench = new Bench(extra);
    await using user = await typeAhead(bench, `cat </dev/tty >/dev/null & ${WAIT}`, "abc", /abc$/);
    await user.sees(/prompt> .*prompt> /s);
    await leave(user);
    expect(bench.final()).toMatchObject({ state: "exited", exit_code: 0 });
  });
});

/** Found by a newcomer: a loop of `holt run` in a script could not be stopped, as Ctrl-C ended only the command. */
describe.each([
  ["native", {}],
  ["without native code", { HOLT_NO_NATIVE: "1" }],
])("Ctrl-C in a command that a script runs, %s,", (_, extra: Record<string, string>) => {
  const READY = `"$HOLT" run -- sh -c "echo rea\\"\\"dy; exec sleep 20"`;

  test.each([
    ["ends the script", `bash -c '${READY}; echo no'`, "code 130"],
    ["ends its loop", `bash -c 'while :; do ${READY}; echo no; done'`, "code 130"],
    ["runs its trap", `bash -c 'trap "echo cleaned; exit 3" INT; ${READY}; echo no'`, "code 3"],
  ])("%s", async (_title, line, expected) => {
    using bench = new Bench(extra);
    await using user = await prompt(bench);
    user.type(`${line}\n`);
    await user.sees("ready\r\n");
    const from = user.text.length;
    user.type("\x03");
    await user.sees("prompt> ", { from });
    user.type('echo "code $?"\n');
    await user.sees(expected, { from });
    expect(user.text).not.toContain("no\r\n");
    user.type("exit\n");
    await user.exit();
  });

  test("lets the script go on when the command catches it and does well", async () => {
    using bench = new Bench(extra);
    await using user = await prompt(bench);
    const command = `"$HOLT" run -- bash -c "trap \\"exit 0\\" INT; echo rea\\"\\"dy; while :; do sleep 0.05; done"`;
    user.type(`bash -c '${command}; echo we""nt on'\n`);
    await user.sees("ready\r\n");
    user.type("\x03");
    await user.sees("went on");
    user.type("exit\n");
    await user.exit();
  });

  test("in a job of a shell under holt is that job's alone", async () => {
    using bench = new Bench(extra);
    await using user = await prompt(bench);
    user.type(`bash -c '"$HOLT" run -- env PS1="inner> " bash --norc -i; echo "came ba""ck $?"'\n`);
    await user.sees("inner> ");
    user.type(`sh -c 'echo rea""dy; exec sleep 20'\n`);
    await user.sees("ready\r\n");
    const from = user.text.length;
    user.type("\x03");
    await user.sees("inner> ", { from });
    user.type("exit 5\n");
    await user.sees("came back 5");
    user.type("exit\n");
    await user.exit();
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
