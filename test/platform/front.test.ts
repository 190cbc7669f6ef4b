import { expect, test } from "bun:test";
import { join } from "node:path";
import { Bench } from "../support/holt.ts";
import { TerminalUser } from "../support/terminal.ts";

const LINUX = process.platform === "linux";

/**
 * Once in some hundred clean runs: a leader without native code gave the terminal to a command that ran already. `cat </dev/tty &` in that moment got the whole group
 * stopped; the kernel was still at it when the leader, which had seen the first of them stop, continued the group, and the rest stayed stopped for good.
 */
test.skipIf(!LINUX)("a command has the terminal before it runs", async () => {
  using bench = new Bench();
  const command = [process.execPath, join(import.meta.dir, "start-in-front.ts")];
  await using user = new TerminalUser(command, { env: bench.env, cwd: bench.root });
  await user.exit();
  // pid (name) state parent group session terminal foreground-group
  const { group, front } = /\(cat\) \w \d+ (?<group>\d+) \d+ \d+ (?<front>\d+) /.exec(user.text)?.groups ?? {};
  expect(group).toMatch(/^\d+$/);
  expect(front).toBe(group ?? "");
});
