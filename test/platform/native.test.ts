import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { Bench, HOLT } from "../support/holt.ts";
import { TerminalUser } from "../support/terminal.ts";

describe.each([
  ["native", {}],
  ["without native code", { HOLT_NO_NATIVE: "1" }],
])("a terminal, %s", (_, extra: Record<string, string>) => {
  const at = (bench: Bench, command: string[]): TerminalUser =>
    new TerminalUser(command, { env: { ...bench.env, HOLT, ...extra }, cwd: bench.root });

  test("runs a command, tells its end and its usage", async () => {
    using bench = new Bench();
    await using user = at(bench, [
      HOLT,
      "run",
      "--",
      "sh",
      "-c",
      "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; exit 7",
    ]);
    expect(await user.exit()).toEqual({ exitCode: 7, signal: null });
    expect(bench.final()).toMatchObject({ state: "exited", exit_code: 7, output_complete: true });
    expect(bench.final().usage?.cpu_ms).toBeGreaterThan(0);
  });

  test("dies by the command's signal", async () => {
    using bench = new Bench();
    await using user = at(bench, [HOLT, "run", "--", "sh", "-c", "kill -SEGV $$"]);
    expect((await user.exit()).signal).toBe("SIGSEGV");
  });

  test("runs a script without #! through the shell", async () => {
    using bench = new Bench();
    await using user = at(bench, [
      "bash",
      "-c",
      `echo 'echo "[$1][$2]"' > s; chmod +x s; "$HOLT" run -- ./s one "two words"`,
    ]);
    await user.exit();
    expect(user.text).toBe("[one][two words]\r\n");
  });

  test("tells that a command cannot be executed", async () => {
    using bench = new Bench();
    await using user = at(bench, [
      "bash",
      "-c",
      `echo '#!/no/such' > s; chmod +x s; "$HOLT" run -- ./s; echo "code $?"`,
    ]);
    await user.exit();
    expect(user.text).toContain("cannot execute ./s: its interpreter is missing");
    expect(user.text).toContain("code 126");
  });

  test("gives the command nothing but its terminal", async () => {
    using bench = new Bench();
    await using user = at(bench, [HOLT, "run", "--", "sh", "-c", "ls /proc/self/fd | tr '\\n' ' '"]);
    await user.exit();
    expect(user.text.trim()).toBe("0 1 2 3"); // 3 is ls's own
  });

  test("hands over the descriptors it was given", async () => {
    using bench = new Bench();
    await using user = at(bench, [
      "bash",
      "-c",
      `"$HOLT" run -- cat <(echo one) <(echo two); "$HOLT" run -- sh -c 'echo three >&3; echo four >&9' 3> a 9> b; cat a b`,
    ]);
    await user.exit();
    expect(user.text).toBe("one\r\ntwo\r\nthree\r\nfour\r\n");
  });

  test("a descriptor with a number of the leader's own is no harm", async () => {
    using bench = new Bench();
    await using user = at(bench, ["bash", "-c", `exec 90> a 91> b 92> c; "$HOLT" run -- echo fine`]);
    await user.exit();
    expect(user.text).toBe("fine\r\n");
  });

  /** The leader is given its pipes one after the other: one of ours that had the number of another was replaced before its turn. */
  test("nor are pipes of ours that have its numbers", async () => {
    using bench = new Bench();
    // However many holt opens before those pipes, one of these gives them 90 to 92.
    const script = `for n in $(seq 3 55); do eval "exec $n> /dev/null"; done
      for n in $(seq 56 89); do eval "exec $n> /dev/null"; "$HOLT" run -- sh -c 'printf "fine "; echo err >&2' 2> e; cat e; done`;
    await using user = at(bench, ["bash", "-c", script]);
    await user.exit();
    expect(user.text).toBe("fine err\r\n".repeat(34));
  });

  test("a redirected stderr has its channel, an ordinary one the terminal", async () => {
    using bench = new Bench();
    await using user = at(bench, [
      "bash",
      "-c",
      `"$HOLT" run -- sh -c 'echo err >&2'; "$HOLT" run -- sh -c 'echo err >&2' 2> e; tr a-z A-Z < e`,
    ]);
    await user.exit();
    expect(user.text).toBe("err\r\nERR\r\n");
  });

  test("gives the command its own group, in front, with default signals", async () => {
    using bench = new Bench();
    await using user = at(bench, [
      HOLT,
      "run",
      "--",
      "bash",
      "-c",
      "until read -r _ _ _ _ g s t f _ < /proc/self/stat; [ $g = $f ]; do sleep 0.01; done; echo $((g == f)) $((g == s)); grep SigIgn /proc/self/status; trap",
    ]);
    await user.exit();
    expect(user.text).toContain("1 0\r\n");
    const ignored = BigInt(`0x${/SigIgn:\s*([0-9a-f]+)/.exec(user.text)?.[1] ?? "0"}`) & 0x7fffffffn;
    expect(ignored).toBe(0n);
  });

  test("a killed leader does not lose the command's end", async () => {
    using bench = new Bench();
    await using user = at(bench, [
      HOLT,
      "run",
      "--",
      "bash",
      "-c",
      "trap 'echo hup; exit 5' HUP; echo ready; while :; do sleep 0.05; done",
    ]);
    await user.sees("ready");
    const { process: command } = bench.meta();
    const [, parent] = /\) \S (\d+)/.exec(readFileSync(`/proc/${command?.pid}/stat`, "latin1")) ?? [];
    process.kill(Number(parent), "SIGKILL");
    expect((await user.exit()).exitCode).toBe(5);
    expect(bench.final()).toMatchObject({ state: "exited", exit_code: 5 });
  });
});
