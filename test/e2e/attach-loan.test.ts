/** The person's terminal, lent to the holder for the echo of a key: every byte once, in order, and nothing without a loan. */
import { expect, test } from "bun:test";
import { openSync } from "node:fs";
import { closeSync } from "../../src/platform/fs.ts";
import { encodeLentInput, NOT_LENT } from "../../src/protocol/loan.ts";
import { until } from "../chaos/size.ts";
import { UnreadTerminal } from "../chaos/unread-terminal.ts";
import { AttachBench, LEAVE } from "../support/attach-bench.ts";
import { attached, Lender, outputs, takesLoans } from "../support/lender.ts";

const KEYS = "abcdefghijklmnopqrstuvwxyz0123456789";
test("each key's echo is seen once: on the terminal that was lent, or as OUTPUT", async () => {
  using bench = new AttachBench();
  const id = await bench.start("stty -icanon; echo ready; exec cat > /dev/null");
  await until("it is ready", () => bench.output(id).includes("ready"));
  using lender = await Lender.attach(bench.meta(id).socket ?? "");
  expect(takesLoans(lender.client)).toBe(true);
  for (const key of KEYS) {
    await lender.type(key);
    await lender.isBack();
    await until(`the echo of ${key}`, () => (lender.lent + lender.output).includes(key));
  }
  expect(`${lender.lent}${lender.output}`.split("").toSorted()).toEqual(KEYS.split("").toSorted());
  // Which way an echo takes is a matter of microseconds, but not for all of them.
  expect(lender.lent).not.toBe("");
  expect((await lender.isBack()).next).toBe("ready\r\n".length + KEYS.length);
  await bench.end(id);
});

test("nothing is written to a terminal on which something is still to be shown", async () => {
  using bench = new AttachBench();
  using terminal = new UnreadTerminal();
  const id = await bench.start("stty -icanon; echo ready; exec cat > /dev/null");
  await until("it is ready", () => bench.output(id).includes("ready"));
  using client = await attached(bench.meta(id).socket ?? "", { terminal: terminal.slave });
  for (const shown of [0, 0, NOT_LENT]) await client.say(encodeLentInput(shown, Buffer.from("x")));
  await until("the echoes", () => outputs(client).join("") === "xxx");
  expect(terminal.read().toString()).toBe("");
  await bench.end(id);
});

test("what is no terminal is not borrowed, nor is a viewer's", async () => {
  using bench = new AttachBench();
  using terminal = new UnreadTerminal();
  const id = await bench.start("echo ready; exec cat");
  const path = bench.meta(id).socket ?? "";
  const file = openSync("/dev/null", "w");
  for (const request of [
    { terminal: file },
    { terminal: 999_999 },
    { terminal: null },
    { terminal: terminal.slave, role: "viewer" },
  ]) {
    using client = await attached(path, request);
    expect(takesLoans(client)).toBeUndefined();
  }
  closeSync(file);
  await bench.end(id);
});

/**
 * Found here, on a busy machine: an echo that was too late for the loan came as OUTPUT, after the screen had been left, and stood before the shell's
 * next prompt. In a flood there is always something on its way.
 */
test.each([
  ["echo ready; exec cat", "xyz9", "xyz9", false],
  ["echo ready; read -rsn1; while :; do echo tick; done", "x", "tick", true],
])(
  "what %j prints while one leaves is shown before the terminal is given back, or not at all",
  async (script, typed, printed, isFlood) => {
    using bench = new AttachBench();
    const id = await bench.start(script);
    await using user = bench.attach(id);
    await user.sees("ready");
    user.type(typed);
    if (isFlood) await user.sees(printed);
    user.type(LEAVE);
    expect(await user.exit()).toEqual({ exitCode: 0, signal: null });
    const given = user.text.lastIndexOf("\x1b[?1049l");
    expect(given).toBeGreaterThan(0);
    expect(user.text.slice(given)).not.toContain(printed);
    expect(user.text).toEndWith(`holt: detached from ${id}\r\n`);
    await bench.end(id);
  },
);

test("a client that was stopped lends nothing: its terminal is somebody else's by now", async () => {
  using bench = new AttachBench();
  const id = await bench.start("echo ready; exec cat");
  await using user = bench.attach(id);
  await user.sees("ready");
  user.type("seen");
  await user.sees("seen");
  process.kill(user.proc.pid, "SIGSTOP");
  await bench.run(["send", id, "--text", "hidden", "--enter"]);
  await until("it is printed", () => bench.output(id).includes("hidden"));
  expect(user.text).not.toContain("hidden");
  process.kill(user.proc.pid, "SIGCONT");
  await user.sees("hidden");
  user.type(LEAVE);
  expect(await user.exit()).toEqual({ exitCode: 0, signal: null });
  await bench.end(id);
});
