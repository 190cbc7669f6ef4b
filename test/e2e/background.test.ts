/** `holt run` as a background job of a shell with job control: what test/compare cannot see of it. */
import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { Bench, HOLT } from "../support/holt.ts";
import { TerminalUser } from "../support/terminal.ts";

describe.each([
  ["native", {}],
  ["without native code", { HOLT_NO_NATIVE: "1" }],
])("in the background, %s", (_, extra: Record<string, string>) => {
  const at = (bench: Bench, argv: string[]): TerminalUser =>
    new TerminalUser(argv, { env: { ...bench.env, HOLT, PS1: "$ ", ...extra }, cwd: bench.root });

  // Both terminals, the command's and the person's, put a carriage return before each newline: a listing had two of them.
  test("what is printed has one carriage return a line, in a flood, too", async () => {
    using bench = new Bench();
    await using user = at(bench, ["bash", "--norc", "--noprofile", "-i"]);
    await user.sees("$ ");
    user.type(`"$HOLT" run -- seq 20000 & wait; echo o""ver\n`);
    await user.sees("over\r\n");
    expect(user.text).toContain("\r\n19999\r\n20000\r\n");
    expect(user.text).not.toContain("\r\r\n");
    expect(bench.output().toString()).toContain("19999\r\n20000\r\n");
    user.type("exit\n");
    await user.exit();
  });

  // The kernel stops a job that reads in the background, and holt does the same a moment later, after the output: a shell whose `fg`
  // came in between had put a running job to the front, which then stopped there.
  test("a job that is brought to the front while its stop is on the way goes on", async () => {
    using bench = new Bench();
    const events = `${bench.state}/sessions/late/events.jsonl`;
    writeFileSync(
      `${bench.root}/shell.py`,
      `import os, signal, sys, termios, time
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
os.mkfifo("go")
job = os.fork()
if job == 0:
    os.setpgid(0, 0)
    signal.signal(signal.SIGTTOU, signal.SIG_DFL)
    holt = os.environ["HOLT"]
    os.execl(holt, holt, "run", "--session-id", "late", "--", "sh", "-c", "read go < go; echo hello; read line; echo got $line")
try: os.setpgid(job, job)
except PermissionError: pass # it has done so itself
go = open("go", "w")
termios.tcflow(0, termios.TCOOFF)
go.write("go\\n")
go.close()
while '"stopped"' not in open("${events}").read(): time.sleep(0.01)
os.tcsetpgrp(0, job)
termios.tcflow(0, termios.TCOON)
_, status = os.waitpid(job, os.WUNTRACED)
os.tcsetpgrp(0, os.getpgrp())
print("stopped" if os.WIFSTOPPED(status) else "ended", flush=True)
if os.WIFSTOPPED(status): os.kill(job, signal.SIGKILL)
`,
    );
    await using user = at(bench, ["python3", "shell.py"]);
    await user.sees("hello");
    user.type("word\n");
    await user.sees(/(ended|stopped)\r\n/);
    expect(user.text).toEndWith("got word\r\nended\r\n");
    await user.exit();
  });
});

// The runtime opens /dev/null where stdout is closed, so the command ran on for ever where its first write should have failed.
test.each(["yes >&-", "sh -c 'echo to stderr >&2 || echo failed' 2>&-", "sh -c 'cat; echo code $?' <&-"])(
  "%s ends as without holt",
  async (command) => {
    using bench = new Bench();
    const bare = await bench.shell(`timeout 10 ${command}; echo $?`);
    const held = await bench.shell(`timeout 10 "$HOLT" run -- ${command}; echo $?`);
    expect([held.text, held.stderr]).toEqual([bare.text, bare.stderr]);
  },
);
