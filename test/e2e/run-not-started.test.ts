import { describe, expect, test } from "bun:test";
import { Bench } from "../support/holt.ts";

describe("what cannot be started", () => {
  test.each([
    ["a command that is nowhere", ["no-such-command-x"], 127, "command not found: no-such-command-x"],
    ["a path that is nowhere", ["./nowhere"], 127, "no such file: ./nowhere"],
    ["a directory", ["/tmp"], 126, "/tmp is a directory"],
    ["a file that is not executable", ["/etc/passwd"], 126, "permission denied: /etc/passwd"],
    ["an empty name", [""], 127, "the command is an empty string"],
  ])("%s", async (_, command, code, message) => {
    using bench = new Bench();
    const result = await bench.run(["run", "--", ...command]);
    expect(result.exitCode).toBe(code);
    expect(result.stderr.split("\n")[0]).toBe(`holt: ${message}`);
    expect(bench.final()).toMatchObject({ state: "failed", reason: "spawn_failed", error: { message } });
  });

  test("a script whose interpreter is missing exits 126", async () => {
    using bench = new Bench();
    const result = await bench.shell(`printf '#!/no/such/interpreter\\n' > s; chmod +x s; "$HOLT" run -- ./s`);
    expect(result.exitCode).toBe(126);
    expect(result.stderr).toContain("cannot execute ./s: its interpreter is missing");
  });

  test.each([
    [["run"], "missing argument: COMMAND"],
    [["run", "--retention", "500ms", "--", "true"], 'invalid --retention: "500ms"'],
    [["run", "--retention", "1500ms", "--", "true"], 'invalid --retention: "1500ms"'],
    [["run", "--retention", "0s", "--", "true"], 'invalid --retention: "0s"'],
    [["run", "--retention", "-5s", "--", "true"], 'invalid --retention: "-5s"'],
    [["run", "--session-id", ".", "--", "true"], 'invalid session id "."'],
    [["run", "--session-id", "..", "--", "true"], 'invalid session id ".."'],
    [["run", "--session-id", "a/b", "--", "true"], 'invalid session id "a/b"'],
    [["run", "--session-id", "/etc", "--", "true"], 'invalid session id "/etc"'],
    [["run", "--session-id", "x".repeat(129), "--", "true"], "invalid session id"],
    [["run", "--session-id", "", "--", "true"], 'invalid session id ""'],
    [["run", "--timeout", "soon", "--", "true"], 'invalid --timeout: "soon"'],
    [["run", "--bogus", "--", "true"], "unknown option: --bogus"],
  ])("%j is refused with exit 2 and nothing is made", async (args, message) => {
    using bench = new Bench();
    const result = await bench.run(args);
    expect(result.exitCode).toBe(2);
    expect(result.stderr).toContain(message);
    expect(result.text).toBe("");
    expect(await Bun.file(`${bench.state}/sessions`).exists()).toBe(false);
  });

  test("an id that is taken is refused with exit 2 and its session is untouched", async () => {
    using bench = new Bench();
    await bench.run(["run", "--session-id", "mine", "--", "echo", "first"]);
    const before = ["meta.json", "final.json", "output.bin", "index.jsonl"].map((name) =>
      bench.artifact(name, "mine").toString(),
    );
    const result = await bench.run(["run", "--session-id", "mine", "--", "echo", "second"]);
    expect(result).toMatchObject({ exitCode: 2, text: "" });
    expect(result.stderr).toContain('session id "mine" is taken');
    expect(
      ["meta.json", "final.json", "output.bin", "index.jsonl"].map((name) => bench.artifact(name, "mine").toString()),
    ).toEqual(before);
  });

  test("a state directory that is a file is named, with what to do", async () => {
    using bench = new Bench();
    const result = await bench.shell(
      `touch file; HOLT_STATE_DIR="$PWD/file" "$HOLT" run -- touch ran; echo "code $?"; ls`,
    );
    expect(result.text).toBe("code 125\nfile\n");
    expect(result.stderr).toContain(`cannot record a session in ${bench.root}/file`);
    expect(result.stderr).toContain("HOLT_STATE_DIR");
  });

  /** Found by two who tried /proc: where mkdir says ENOENT of a parent that is there, holt called itself without end. */
  test("a state directory where nothing can be made is explained", async () => {
    using bench = new Bench({ HOLT_STATE_DIR: "/proc/x" });
    const { text, stderr, exitCode } = await bench.run(["run", "--", "echo", "started"]);
    expect({ text, exitCode }).toEqual({ text: "", exitCode: 125 });
    expect(stderr).toStartWith("holt: cannot record a session in /proc/x: ENOENT: mkdir /proc/x\n");
  });

  test("a state directory that cannot be made is explained, and the command does not run", async () => {
    using bench = new Bench();
    const result = await bench.shell(
      `touch blocked; HOLT_STATE_DIR="$PWD/blocked/x" "$HOLT" run -- touch ran; echo "code $?"; ls`,
    );
    expect(result.text).toBe("code 125\nblocked\n");
    expect(result.stderr).toContain("HOLT_STATE_DIR");
  });
});
