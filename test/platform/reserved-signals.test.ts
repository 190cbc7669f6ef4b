/**
 * musl keeps one real-time signal more than glibc for its own threads, 34, and refuses it to sigaction(2). holt handles every signal that
 * would end it, took the refusal for a failure, and there no command was started at all. Here the kernel refuses it.
 */
import { describe, expect, test } from "bun:test";
import { Bench, collect, HOLT, type Result } from "../support/holt.ts";

/** A seccomp filter, as `struct sock_filter`: rt_sigaction(34, ...) is EINVAL, anything else is allowed. */
const WITHOUT_34 = `
import ctypes, os, platform, struct, sys
NUMBER = {"x86_64": 13, "aarch64": 134}[platform.machine()]
code = b"".join(struct.pack("HBBI", *line) for line in [
    (0x20, 0, 0, 0), (0x15, 0, 3, NUMBER),   # which call
    (0x20, 0, 0, 16), (0x15, 0, 1, 34),      # which signal
    (0x06, 0, 0, 0x50000 | 22),              # EINVAL
    (0x06, 0, 0, 0x7fff0000)])
libc = ctypes.CDLL(None, use_errno=True)
program = struct.pack("HxxxxxxP", 6, ctypes.addressof(keep := ctypes.create_string_buffer(code)))
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, program, 0, 0) == 0, os.strerror(ctypes.get_errno())
assert libc.sigaction(34, None, ctypes.create_string_buffer(152)) == -1
os.execv(sys.argv[1], sys.argv[1:])`;

function limited(bench: Bench, ...args: string[]): Promise<Result> {
  return collect(["python3", "-c", WITHOUT_34, HOLT, ...args], { stdin: "", env: bench.env, cwd: bench.root });
}

describe.if(process.platform === "linux")("Where libc refuses signal 34", () => {
  test.each(["run", "start", "start --no-pty"])("holt %s starts a command", async (words) => {
    using bench = new Bench();
    const { stderr } = await limited(
      bench,
      ...words.split(" "),
      "--session-id",
      "x",
      "--",
      "sh",
      "-c",
      "kill -TERM $$",
    );
    expect(stderr).toBe("");
    await bench.run(["wait", "x"]);
    expect(bench.final("x")).toMatchObject({ state: "signaled", signal: "SIGTERM" });
  });

  test("the signals after it still reach the command", async () => {
    using bench = new Bench();
    const script = 'trap "echo got it; exit 5" RTMIN+1; kill -s RTMIN+1 $PPID; while :; do sleep 0.01; done';
    const { text, exitCode } = await limited(bench, "run", "--", "bash", "-c", script);
    expect({ text, exitCode }).toEqual({ text: "got it\n", exitCode: 5 });
  });
});
