import { expect, test } from "bun:test";
import { dlopen } from "bun:ffi";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bytesOf } from "../../src/protocol/types/bytes.ts";
import { Bench } from "../support/holt.ts";
import { TerminalUser } from "../support/terminal.ts";

/** glibc's, since 2.35. */
const GIVES = "posix_spawn_file_actions_addtcsetpgrp_np";
const canGive = process.platform === "linux" && isLinked(GIVES);
if (!canGive) console.error(`\n!!! NOT TRIED: a command that has the terminal before it runs: no ${GIVES} here\n`);

function isLinked(name: string): boolean {
  try {
    dlopen("libc.so.6", { [name]: { args: ["ptr", "int"], returns: "int" } }).close();
    return true;
  } catch {
    return false;
  }
}

/**
 * Once in some hundred clean runs: a leader without native code gave the terminal to a command that ran already. `cat </dev/tty &` in that moment got the whole group
 * stopped; the kernel was still at it when the leader, which had seen the first of them stop, continued the group, and the rest stayed stopped for good.
 */
test.skipIf(!canGive)("a command has the terminal before it runs", async () => {
  using bench = new Bench();
  const command = [process.execPath, join(import.meta.dir, "start-in-front.ts")];
  await using user = new TerminalUser(command, { env: bench.env, cwd: bench.root });
  await user.exit();
  // pid (name) state parent group session terminal foreground-group
  const { group, front } = /\(cat\) \w \d+ (?<group>\d+) \d+ \d+ (?<front>\d+) /.exec(user.text)?.groups ?? {};
  expect(group).toMatch(/^\d+$/);
  expect(front).toBe(group ?? "");
});

/**
 * Found by a review: what execve(2) says may be what tcsetpgrp(2) says, and then the command was tried once more, while the terminal belonged to the group of the first try, of which
 * nothing was left: it would have run in the background. So says a program whose linker is no program.
 */
test.skipIf(!canGive)("a command that cannot be executed leaves the terminal with who started it", async () => {
  using bench = new Bench();
  const [linker, program] = [join(bench.root, "l"), join(bench.root, "program")];
  writeFileSync(linker, "", { mode: 0o755 });
  writeFileSync(program, withLinker(readFileSync("/bin/cat"), "./l"), { mode: 0o755 });
  const command = [process.execPath, join(import.meta.dir, "fail-in-front.ts"), program];
  await using user = new TerminalUser(command, { env: bench.env, cwd: bench.root });
  await user.exit();
  const { ours, front } = /EIO: ours (?<ours>\d+), in front (?<front>\d+)/.exec(user.text)?.groups ?? {};
  expect(ours).toMatch(/^\d+$/);
  expect(front).toBe(ours ?? "");
});

/** The path of its linker is as long as it was: what is left of it is NUL. */
function withLinker(program: Buffer, path: string): Buffer {
  const at = program.indexOf("/lib");
  const end = program.indexOf(0, at);
  expect(program.subarray(at, end).toString()).toMatch(/^\/lib\d*\/ld-[\w.-]+$/);
  program.fill(0, at, end);
  program.set(bytesOf(path), at);
  return program;
}
