import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Bench, HOLT } from "../support/holt.ts";
import { prompt } from "../support/prompt.ts";
import { TerminalUser } from "../support/terminal.ts";

/** Who may type in another's place: root, and everyone where it was not forbidden (Linux 6.2 made that a setting). */
const MAY_TYPE_BACK = process.getuid?.() === 0 || setting("/proc/sys/dev/tty/legacy_tiocsti") !== "0";

function setting(path: string): string | null {
  return existsSync(path) ? readFileSync(path, "latin1").trim() : null;
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

/**
 * Found by a breaker: what the command had not read was given back before its last output was shown. That set the terminal as it was before, and thousands of lines
 * at the end had a second carriage return.
 */
test("what is typed while a command prints does not change what it printed", async () => {
  using bench = new Bench();
  await using user = new TerminalUser([HOLT, "run", "--", "seq", "1", "200000"], { env: bench.env, cwd: bench.root });
  await user.sees("\r\n3000\r\n");
  user.type("k");
  await user.exit();
  expect(user.text.replace("k", "").includes("\r\r\n")).toBe(false);
  expect(user.text.endsWith("200000\r\n")).toBe(true);
});
