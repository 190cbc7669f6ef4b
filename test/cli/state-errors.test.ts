/**
 * Errors of an unusable state directory. Only `holt run` explained one; other commands called a
 * missing path a file to be moved away, or printed only `EACCES`.
 */
import { describe, expect, test } from "bun:test";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stateError } from "../../src/client/state-error.ts";
import { SystemError } from "../../src/platform/native/libc.ts";
import { HoltError } from "../../src/protocol/types/errors.ts";
import { Bench } from "../support/holt.ts";

const READING = [["ls"], ["show", "x"], ["logs", "x"], ["rm", "x"], ["gc"], []];

describe("A state directory", () => {
  test("below a file: every command names the file.", async () => {
    using bench = new Bench();
    const file = join(bench.root, "file");
    writeFileSync(file, "");
    const env = { HOLT_STATE_DIR: `${file}/a/b` };
    for (const args of READING) {
      const { stderr, text, exitCode } = await bench.run(args, { env });
      expect({ args, stderr, text, exitCode }).toEqual({
        args,
        stderr: `holt: cannot access the sessions in ${file}/a/b: ${file} is a file, not a directory\n      move what is in the way, or point HOLT_STATE_DIR somewhere else\n`,
        text: "",
        exitCode: 1,
      });
    }
    const run = await bench.run(["run", "--", "true"], { env });
    expect(run.stderr).toStartWith(
      `holt: cannot record a session in ${file}/a/b: ${file} is a file, not a directory\n`,
    );
    expect(run.stderr).toContain("the command was not started");
    expect(run.exitCode).toBe(125);
  });

  test("behind a broken symlink.", async () => {
    using bench = new Bench();
    const link = join(bench.root, "link");
    symlinkSync("link", link);
    const { stderr, exitCode } = await bench.run(["ls"], { env: { HOLT_STATE_DIR: `${link}/a` } });
    expect(stderr).toContain(`${link} is a symlink that leads nowhere\n`);
    expect(exitCode).toBe(1);
  });

  test("with too long a path: the error shortens it.", async () => {
    using bench = new Bench();
    const env = { HOLT_STATE_DIR: `/${"x".repeat(5000)}` };
    for (const args of [["ls"], ["run", "--", "true"]]) {
      const { stderr } = await bench.run(args, { env });
      expect(stderr).toContain("…: its path is too long\n");
      expect(stderr).toContain("point HOLT_STATE_DIR to a shorter path");
      expect(stderr.length).toBeLessThan(500);
    }
  });

  test("that is unusable is explained over MCP too.", async () => {
    using bench = new Bench();
    writeFileSync(bench.state, "");
    const request = (id: number, method: string, params: object): string =>
      `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
    const hello = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "0" } };
    const { text } = await bench.run(["mcp", "--tools", "derun"], {
      stdin:
        request(1, "initialize", hello) +
        `${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n` +
        request(2, "tools/call", { name: "derun_list_sessions", arguments: {} }),
    });
    expect(text).toContain(`cannot access the sessions in ${bench.state}: ${bench.state} is a file, not a directory`);
    expect(text).toContain("point HOLT_STATE_DIR somewhere else");
  });
});

describe("A system error", () => {
  test("has a hint for its errno.", () => {
    const explained = (errno: string): [string, string | null] => {
      const error = stateError(new SystemError("open", errno, "/x"), "record a session", "the command was not started");
      return error instanceof HoltError ? [error.message, error.hint] : ["not explained", null];
    };
    const hints = {
      ENOSPC: "free some space",
      EACCES: "fix its permissions",
      EROFS: "read-only file system",
      EFBIG: "`ulimit -f unlimited`",
      EMFILE: "`ulimit -n 1024`",
      ENFILE: "`sysctl fs.file-max`",
    };
    for (const [errno, words] of Object.entries(hints)) {
      const [message, hint] = explained(errno);
      expect(message).toMatch(new RegExp(`^cannot record a session in /.*: ${errno}: open /x$`));
      expect(hint).toContain(words);
      expect(hint).toStartWith("the command was not started; ");
    }
    expect(explained("ESRCH")).toEqual(["not explained", null]);
  });

  test("from a limit of the shell names the limit.", async () => {
    using bench = new Bench();
    const { stderr, text } = await bench.shell('ulimit -f 0; "$HOLT" run -- true; echo "code $?"');
    expect(text).toBe("code 125\n");
    expect(stderr).toContain("EFBIG");
    expect(stderr).toContain("ulimit -f");
  });

  test("of stdout is not attributed to the state directory.", async () => {
    using bench = new Bench();
    expect(await bench.shell('"$HOLT" help > /dev/full; echo "code $?"')).toMatchObject({
      text: "code 1\n",
      stderr: "holt: cannot write to stdout: ENOSPC\n",
    });
  });
});
