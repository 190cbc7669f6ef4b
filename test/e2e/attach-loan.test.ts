/** The person's terminal, lent to the holder for the echo of a key: every byte once, in order, and nothing without a loan. */
import { expect, test } from "bun:test";
import { openSync } from "node:fs";
import { closeSync } from "../../src/platform/fs.ts";
import { ATTACH_FRAME, decodeOutput } from "../../src/protocol/attach.ts";
import { decodeJson, encodeJsonFrame } from "../../src/protocol/frames.ts";
import { decodeReturned, encodeLentInput, NOT_LENT } from "../../src/protocol/loan.ts";
import { HELLO, RawClient } from "../chaos/raw-client.ts";
import { until } from "../chaos/size.ts";
import { UnreadTerminal } from "../chaos/unread-terminal.ts";
import { AttachBench, LEAVE } from "../support/attach-bench.ts";

const KEYS = "abcdefghijklmnopqrstuvwxyz0123456789";
const NOTHING = new Uint8Array(0);
const REQUEST = {
  role: "driver",
  replay: "none",
  size: { cols: 80, rows: 24, width: 0, height: 0 },
  scrollback: 0,
  raw_bytes: 0,
};

async function attached(path: string, request: object): Promise<RawClient> {
  const client = await RawClient.dial(path);
  await client.say(HELLO, encodeJsonFrame(ATTACH_FRAME.attach, { ...REQUEST, ...request }));
  await client.hears(ATTACH_FRAME.replay);
  return client;
}

function takesLoans({ frames }: RawClient): unknown {
  const replay = frames.find(({ type }) => type === ATTACH_FRAME.replay);
  return decodeJson(replay?.payload ?? NOTHING)?.["takes_loans"];
}

function outputs({ frames }: RawClient): string[] {
  return frames.flatMap(({ type, payload }) => {
    const output = type === ATTACH_FRAME.output ? decodeOutput(payload) : null;
    return output === null ? [] : [Buffer.from(output.bytes).toString()];
  });
}

function lastReturned({ frames }: RawClient): { taken: number; next: number } | null {
  const returned = frames.findLast(({ type }) => type === ATTACH_FRAME.returned);
  return returned === undefined ? null : decodeReturned(returned.payload);
}

test("each key's echo is seen once: on the terminal that was lent, or as OUTPUT", async () => {
  using bench = new AttachBench();
  using terminal = new UnreadTerminal();
  const id = await bench.start("stty -icanon; echo ready; exec cat > /dev/null");
  await until("it is ready", () => bench.output(id).includes("ready"));
  using client = await attached(bench.meta(id).socket ?? "", { terminal: terminal.slave });
  expect(takesLoans(client)).toBe(true);
  let lent = "";
  let sent = 0;
  for (const key of KEYS) {
    const shown = 1 + outputs(client).length; // the replay is the first
    await client.say(encodeLentInput(shown, Buffer.from(key)), encodeLentInput(NOT_LENT, NOTHING));
    sent += 2;
    await until("the loan is over", () => lastReturned(client)?.taken === sent);
    await until(`the echo of ${key}`, () => {
      lent += terminal.read().toString();
      return (lent + outputs(client).join("")).includes(key);
    });
  }
  expect(`${lent}${outputs(client).join("")}`.split("").toSorted()).toEqual(KEYS.split("").toSorted());
  // Which way an echo takes is a matter of microseconds, but not for all of them.
  expect(lent).not.toBe("");
  await client.say(encodeLentInput(NOT_LENT, NOTHING));
  await until("the last loan is over", () => lastReturned(client)?.taken === sent + 1);
  expect(lastReturned(client)?.next).toBe("ready\r\n".length + KEYS.length);
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
