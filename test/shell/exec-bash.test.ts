/** `session.exec` in a bash with options that change how commands are run. */
import { describe, expect, test } from "bun:test";
import { isFinal } from "../../src/protocol/types/session.ts";
import { until } from "../chaos/size.ts";
import { BARE, codeOf, LiveShell, textOf } from "./shells.ts";

describe("in bash", () => {
  test.each([
    ["set -u", "echo ${nothing-fine}"],
    ["set -C", "echo fine"],
    ["set -f; IFS=x", "echo fine"],
    ["set -o vi", "echo fine"],
    ["shopt -s nullglob failglob; set -o pipefail", "echo fine"],
  ])("%s changes nothing", async (option, command) => {
    await using live = await LiveShell.start(BARE.bash);
    expect(await live.exec(option)).toMatchObject({ exit_code: 0 });
    expect(await live.text(command)).toBe("fine\n");
    expect(await live.text("printf '%s|' a b")).toBe("a|b|");
  });

  test("set -e lets it go on as long as nothing fails, and then it is gone", async () => {
    await using live = await LiveShell.start(BARE.bash);
    expect(await live.exec("set -e")).toMatchObject({ exit_code: 0 });
    expect(await live.text("! true; echo $?")).toBe("1\n");
    expect(await live.text("echo alive")).toBe("alive\n");
    expect(await live.exec("echo last; false")).toMatchObject({ outcome: "session_ended", exit_code: 1 });
    await until("the session has ended", () => isFinal(live.sessions.get("s").state));
  });

  test("set -x shows the command, and nothing of holt's", async () => {
    await using live = await LiveShell.start(BARE.bash);
    await live.exec("set -x");
    expect(await live.text("echo hi; false")).toBe("+ builtin eval -- 'echo hi; false'\n++ echo hi\nhi\n++ false\n");
    await live.send("--text", "echo typed", "--enter");
    await live.prints("typed\r\n");
    await live.prompt();
    expect(live.bench.output("s").toString()).not.toMatch(/^\++ (local|printf|__holt_(mark|done|prompt|begin))/m);
  });

  test("an unbound variable ends the command and not the shell", async () => {
    await using live = await LiveShell.start(BARE.bash);
    await live.exec("set -u");
    const result = await live.exec("echo $nothing; echo not reached");
    expect(result.outcome).toBe("done");
    expect(result.exit_code).not.toBe(0);
    expect(textOf(result)).toContain("unbound variable");
    expect(await live.text("echo on")).toBe("on\n");
  });

  test("stdout that went elsewhere stays there, and the end is seen all the same", async () => {
    await using live = await LiveShell.start(BARE.bash);
    await live.exec("exec 3>&1 >out 2>err");
    expect(await live.exec("echo into the file; false")).toMatchObject({ outcome: "done", exit_code: 1 });
    expect(await live.text("exec >&3 2>&1; cat out")).toBe("into the file\n");
  });

  test("a nested shell is something that runs", async () => {
    await using live = await LiveShell.start(BARE.bash);
    await live.exec("echo ready");
    await live.send("--text", "bash --norc --noprofile", "--enter");
    await until("it runs", () => live.commands(1)[0]?.command?.startsWith("bash ") ?? false);
    expect(await codeOf(live.exec("echo no"))).toMatch(/^EBUSY: the shell is busy: it runs "bash --norc --noprofile"/);
    await live.send("--text", "exit", "--enter");
    expect(await live.prompt()).toBe(0);
    expect(await live.text("echo back")).toBe("back\n");
  });
});
