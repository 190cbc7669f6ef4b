import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../chaos/size.ts";
import { AttachBench, ECHO, LEAVE, SIZE } from "../support/attach-bench.ts";
import { HOLT } from "../support/holt.ts";
import { prompt } from "../support/prompt.ts";
import { TerminalUser } from "../support/terminal.ts";

/** Prints what it is sent, each byte as it is. */
const RAW = ["bash", "-c", "stty raw -echo; printf up:; exec cat"];

/** A terminal at which `words` are started once everything was typed: the keys wait in it, however fast holt is. */
async function typedBefore(
  bench: AttachBench,
  words: readonly string[],
  keys: string,
  echo: RegExp,
): Promise<TerminalUser> {
  const script = 'printf "type: "; until [ -e go ]; do sleep 0.01; done; exec "$@"';
  const user = new TerminalUser(["sh", "-c", script, "sh", HOLT, ...words], {
    env: bench.env,
    cwd: bench.root,
    ...SIZE,
  });
  await user.sees("type: ");
  user.type(keys);
  await user.sees(echo);
  writeFileSync(join(bench.root, "go"), "");
  return user;
}

/**
 * Found by a newcomer: what was typed in the moment before `holt attach` had the terminal, or pasted together with the command itself, went nowhere; tmux has it. It
 * was read, so as not to be dropped, and then given to nobody.
 */
describe.each([
  ["native", {}],
  ["without native code", { HOLT_NO_NATIVE: "1" }],
])("what is typed before the terminal is attached, %s,", (_, extra: Record<string, string>) => {
  test("reaches the session as it was typed, once and before all that follows", async () => {
    using bench = new AttachBench(extra);
    const id = await started(bench, RAW);
    await using user = await typedBefore(bench, ["attach", id], "first\rsec\x04ond\rthi", /first\r\nsecond\r\nthi$/);
    await until("it has the beginning", () => bench.output().includes("thi"));
    user.type("rd\n");
    await until("it has the rest", () => bench.output().includes("rd\n"));
    expect(bench.output().toString()).toBe("up:first\rsec\x04ond\rthird\n");
    user.type(LEAVE);
    expect(await user.exit()).toEqual({ exitCode: 0, signal: null });
    await bench.end(id);
  });

  test("reaches a session that is only just started for it", async () => {
    using bench = new AttachBench(extra);
    const words = ["start", "--attach", "--", "bash", "-c", ECHO];
    await using user = await typedBefore(bench, words, "first\rsecond\rthi", /first\r\nsecond\r\nthi$/);
    await user.sees("got second");
    user.type("rd\r");
    await user.sees("got third");
    user.type(LEAVE);
    expect(await user.exit()).toEqual({ exitCode: 0, signal: null });
    expect(
      bench
        .output()
        .toString()
        .match(/got \w+/g),
    ).toEqual(["got first", "got second", "got third"]);
    await bench.end(bench.id);
  });

  test("may be as many lines as a terminal holds", async () => {
    using bench = new AttachBench(extra);
    const id = await started(bench, RAW);
    const lines = Array.from({ length: 500 }, (_line, at) => `${at}\r`).join("");
    await using user = await typedBefore(bench, ["attach", id], lines, /499\r\n$/);
    await until("it has the last", () => bench.output().includes("499\r"));
    expect(bench.output().toString()).toBe(`up:${lines}`);
    user.type(LEAVE);
    await user.exit();
    await bench.end(id);
  });

  test("may be the keys to leave with", async () => {
    using bench = new AttachBench({ ...extra, HOLT_DETACH_KEYS: "ctrl-b x" });
    const id = await started(bench, RAW);
    await using user = await typedBefore(bench, ["attach", id], "before\x02xafter", /before\^Bxafter$/);
    expect(await user.exit()).toEqual({ exitCode: 0, signal: null });
    expect(user.text).toContain(`holt: detached from ${id}`);
    await until("it has what came before", () => bench.output().includes("before"));
    expect(bench.output().toString()).toBe("up:before");
    await bench.end(id);
  });

  test("goes nowhere where one only looks, as all that follows", async () => {
    using bench = new AttachBench(extra);
    const id = await started(bench, RAW);
    await using user = await typedBefore(bench, ["attach", "--read-only", id], "nobody\r", /nobody\r\n$/);
    await user.sees("up:");
    user.type(LEAVE);
    expect(await user.exit()).toEqual({ exitCode: 0, signal: null });
    expect(bench.output().toString()).toBe("up:");
    await bench.end(id);
  });

  /** What a shell's line editor leaves unread looks like a line that an end of file has ended. None was typed, and it would end the shell inside. */
  test("pasted into a shell with the command itself, reaches the session as it is", async () => {
    using bench = new AttachBench(extra);
    const id = await started(bench, RAW);
    await using user = await prompt(bench);
    user.type(`"$HOLT" attach ${id}\rinside`);
    await until("it has it", () => bench.output().includes("inside"));
    user.type(`!${LEAVE}`);
    await user.sees(/detached from .*prompt> $/s);
    await until("all that was typed has come", () => bench.output().toString() === "up:inside!");
    user.type("exit\r");
    await user.exit();
    await bench.end(id);
  });

  test.each([
    ["there is no such session", () => Promise.resolve("nosuch"), "session not found"],
    [
      "the client limit is reached",
      (bench: AttachBench) => started(bench, RAW, ["--max-clients", "0"]),
      "client limit",
    ],
    ["it has ended", (bench: AttachBench) => ended(bench), "has ended"],
  ])("is the shell's when %s", async (_why, session, told) => {
    using bench = new AttachBench(extra);
    const id = await session(bench);
    await using user = await prompt(bench);
    user.type(`"$HOLT" attach ${id}\recho for the shell $((40+2))\recho and $((40`);
    await user.sees("for the shell 42");
    expect(user.text).toContain(told);
    user.type("+3))\r");
    await user.sees("and 43");
    user.type("exit\r");
    await user.exit();
    await bench.end(id);
  });
});

async function started(bench: AttachBench, argv: readonly string[], options: readonly string[] = []): Promise<string> {
  const { text } = await bench.run(["start", "--size", "80x24", ...options, "--", ...argv]);
  const id = text.trim();
  await until("it is up", () => bench.output(id).includes("up:"));
  return id;
}

async function ended(bench: AttachBench): Promise<string> {
  const id = (await bench.run(["start", "--", "true"])).text.trim();
  await bench.run(["wait", id]);
  return id;
}
