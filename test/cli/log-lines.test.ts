/** `holt logs` by lines, and `holt search`: output, exit codes and usage errors. */
import { describe, expect, test } from "bun:test";
import { CommandLine } from "./command-line.ts";

const LINES = Array.from({ length: 30 }, (_, i) => `line ${i + 1}\n`).join("");
const COLOURED = "ok\n\x1b[31mer\x1b[1mror\x1b[0m: x\n10%\r100%\nError: y\n";

describe("holt logs", () => {
  test("prints the first lines, the last lines, and both", async () => {
    using line = new CommandLine();
    line.ended("a", { output: [LINES] });
    expect(await line.run(["logs", "--head", "2", "a"])).toMatchObject({ text: "line 1\nline 2\n", exitCode: 0 });
    expect((await line.run(["logs", "--head", "1", "--tail", "1", "a"])).text).toBe(
      "line 1\n… 216 bytes, cursor 7 …\nline 30\n",
    );
    expect((await line.run(["logs", "--head", "20", "--tail", "20", "a"])).text).toBe(LINES);
    expect((await line.run(["logs", "--text", "--tail", "2", "a"])).text).toBe("line 29\nline 30\n");
  });

  test("prints a range of lines, and of bytes", async () => {
    using line = new CommandLine();
    line.ended("a", { output: [LINES] });
    expect((await line.run(["logs", "--text", "--range", "7..21", "a"])).text).toBe("line 2\nline 3\n");
    expect((await line.run(["logs", "--text", "--range", "8..13", "a"])).text).toBe("ine 2\n");
    expect((await line.run(["logs", "--raw", "--range", "8..13", "a"])).text).toBe("ine 2");
    expect((await line.run(["logs", "--cursors", "--range", "215..", "a"])).text).toBe("215: line 29\n223: line 30\n");
  });

  /**
   * `--range 20000..30000` of a file that is one line printed nothing and no note;
   * `--max-tokens 50000` gave two kilobytes of it.
   */
  test("prints the part of a long line within the range, or all of it if it fits", async () => {
    using line = new CommandLine();
    const text = Array.from({ length: 20_000 }, (_, number) => number).join(",");
    line.ended("a", { output: [`${text}\n`] });
    const part = await line.run(["logs", "--text", "--range", "20000..30000", "a"]);
    expect(part.text).toBe(`${text.slice(20_000, 30_000)}\n`);
    expect((await line.run(["logs", "--max-tokens", "50000", "a"])).text).toBe(`${text}\n`);
  });

  test("prints matches with context, and exits with 1 if there are none", async () => {
    using line = new CommandLine();
    line.ended("a", { output: [COLOURED] });
    expect(await line.run(["logs", "--grep", "^error", "a"])).toMatchObject({ text: "error: x\n", exitCode: 0 });
    expect((await line.run(["logs", "-i", "-g", "error", "a"])).text).toBe("error: x\nError: y\n");
    expect((await line.run(["logs", "-g", "100", "-C", "1", "a"])).text).toBe("error: x\n100%\nError: y\n");
    expect((await line.run(["logs", "-F", "-g", "r: ", "--cursors", "-B", "1", "a"])).text).toBe(
      "0- ok\n3: error: x\n25- 100%\n34: Error: y\n",
    );
    expect((await line.run(["logs", "-g", "ok|y", "-A", "0", "-B", "0", "a"])).text).toBe("ok\nError: y\n");
    expect((await line.run(["logs", "--json", "-g", "ok", "a"])).text).toBe(
      '{"cursor":"0","channel":"stdout","line":"ok","match":true}\n',
    );
    expect(await line.run(["logs", "-g", "nothing", "a"])).toMatchObject({ text: "", stderr: "", exitCode: 1 });
  });

  /**
   * Lines were missing without a note: the regex engine gives up on some lines, which looks like no
   * match.
   */
  test("reports the lines that the expression could not be matched against, and finds the others", async () => {
    using line = new CommandLine();
    line.ended("a", { output: [`error 1\n//${"abcdefghij_".repeat(8)}!\nerror 2\n`] });
    const pattern = "(\\w+)+@|error";
    const said = "1 line could not be judged: the expression backtracks too much";
    expect(await line.run(["logs", "--grep", pattern, "a"])).toMatchObject({
      text: "error 1\nerror 2\n",
      stderr: `holt: ${said} (cursor 8)\n`,
      exitCode: 0,
    });
    expect(await line.run(["search", "--regex", pattern])).toMatchObject({
      text: expect.stringMatching(/error 1\n.*error 2\n$/),
      stderr: `holt: ${said}\n`,
      exitCode: 0,
    });
  });

  test("prints what fits, and the cursor of the rest", async () => {
    using line = new CommandLine();
    line.ended("a", { output: [LINES.repeat(20), "same\n".repeat(50)] });
    const { text } = await line.run(["logs", "--max-tokens", "100", "a"]);
    expect(text).toMatch(/^line 1\n[^]*\n… \d+ lines, cursor \d+ …\n[^]*\nsame ⟨×50⟩\n$/);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(301);
  });

  test.each([
    [["--grep", "(", "a"], 'invalid pattern "("'],
    [["--raw", "--grep", "x", "a"], "--raw cannot be used with --head"],
    [["-f", "--head", "1", "a"], "--follow can be used only with --tail and --since"],
    [["--grep", "x", "--tail", "1", "a"], "--grep cannot be used with --head or --tail"],
    [["-C", "1", "a"], "-A, -B, -C, -i and -F need --grep"],
    [["--range", "5", "a"], 'invalid --range: "5"'],
    [["--range", "9..5", "a"], 'invalid --range: "9..5"'],
    [["--range", "1..5", "--since", "3", "a"], "--range and --since cannot be used together"],
    [["--max-tokens", "5", "a"], "invalid --max-tokens: 5"],
  ])("refuses %j", async (args, message) => {
    using line = new CommandLine();
    line.ended("a", { output: [LINES] });
    const { exitCode, stderr } = await line.run(["logs", ...args]);
    expect({ exitCode, first: stderr.split("\n")[0] ?? "" }).toEqual({
      exitCode: 2,
      first: expect.stringContaining(message),
    });
  });
});

describe("holt search", () => {
  test("finds text in all sessions, newest first, with cursors", async () => {
    using line = new CommandLine();
    const at = (second: number): string => `2026-01-02T03:04:0${second}.000Z`;
    line.ended("old", { output: ["hello\nneedle 1\n"], meta: { created_at: at(1), project_id: "p" } });
    line.ended("new", { output: ["\x1b[1mneedle\x1b[0m 2\n".repeat(3)], meta: { created_at: at(2), name: "n" } });
    expect(await line.run(["search", "needle"])).toMatchObject({
      text: "new:0: needle 2\nnew:17: needle 2\nnew:34: needle 2\nold:6: needle 1\n",
      exitCode: 0,
    });
    expect((await line.run(["search", "--per-session", "1", "needle"])).text).toBe(
      "new:0: needle 2\nold:6: needle 1\n",
    );
    expect((await line.run(["search", "--project", "p", "-i", "NEEDLE"])).text).toBe("old:6: needle 1\n");
    expect((await line.run(["search", "--regex", "n.*1$"])).text).toBe("old:6: needle 1\n");
    const { text } = await line.run(["search", "--json", "-n", "2", "needle"]);
    expect(JSON.parse(text)).toEqual({
      hits: [
        { session_id: "new", name: "n", cursor: "0", line: "needle 2" },
        { session_id: "new", name: "n", cursor: "17", line: "needle 2" },
      ],
      searched: 1,
      unjudged: 0,
      next: { session_id: "new", cursor: "34" },
    });
    expect(await line.run(["search", "nothing"])).toMatchObject({ text: "", stderr: "", exitCode: 1 });
    expect((await line.run(["search", "--since", "1h", "needle"])).exitCode).toBe(0);
    expect((await line.run(["search", "--since", "2100-01-01T00:00:00Z", "needle"])).exitCode).toBe(1);
    expect((await line.run(["search", "--since", "yesterday", "x"])).exitCode).toBe(2);
    expect((await line.run(["search", "--regex", "("])).exitCode).toBe(2);
  });
});
