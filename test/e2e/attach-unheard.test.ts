/**
 * Found by a newcomer: at a session where one alone may type (`--input lease`), a second terminal typed into nothing. There was a bell, on a terminal of the
 * session's size and with bells switched on; who has the keyboard, and that it can be had, was told nowhere.
 */
import { describe, expect, test } from "bun:test";
import { Emulator } from "../../src/terminal/emulator/emulator.ts";
import { rowsOfText } from "../../src/terminal/screen/screen-text.ts";
import { until } from "../chaos/size.ts";
import { AttachBench, ECHO, LEAVE, SIZE } from "../support/attach-bench.ts";
import type { TerminalUser } from "../support/terminal.ts";

const BELL = "\x07";

/** What the person has in front of them. */
function rows(user: TerminalUser, size = SIZE): string[] {
  using emulator = new Emulator({ ...size, scrollback: 0 });
  emulator.write(user.bytes);
  return rowsOfText(emulator.screen());
}

function count(user: TerminalUser, text: string): number {
  return user.text.split(text).length - 1;
}

describe("who types where somebody else has the keyboard", () => {
  test.each([
    ["of the session's size", SIZE],
    ["of another", { cols: 100, rows: 30 }],
  ])("is told who that is and how to get it, on a terminal %s, and has the screen back", async (_, size) => {
    using bench = new AttachBench();
    const id = await bench.start(`printf '\\033[24;1Hthe last row\\033[H'; ${ECHO}`, ["--input", "lease"]);
    await using one = bench.attach(id);
    await one.sees("ready");
    one.type("first\r");
    await one.sees("got first");
    await using two = bench.attach(id, [], size);
    await two.sees("got first");
    const told = `client c1 has the keyboard: \`holt attach --takeover ${id}\``;
    two.type("not");
    await two.sees(told);
    const before = rows(two, size);
    expect(before[size.rows - 1]).toBe(` ${told}`.trimEnd());
    expect(before.slice(0, 2)).toEqual(rows(one).slice(0, 2));
    two.type(" mine\r");
    await until("each of its keys rings", () => count(two, BELL) > 1);
    await until("nothing is said any more", () => !rows(two, size).join("").includes("has the keyboard"));
    expect(rows(two, size)[23]).toBe("the last row");
    expect(rows(two, size).slice(0, 24)).toEqual([...rows(one)]);
    expect(count(two, told)).toBe(1);
    // Said once in the life of a client, it was long forgotten when they tried again.
    two.type("z");
    await until("it is told again", () => count(two, told) === 2);
    const from = two.text.length;
    two.type(LEAVE);
    expect(await two.exit()).toEqual({ exitCode: 0, signal: null });
    // There it is of use: with the prompt below it.
    expect(two.text.slice(from)).toContain(`holt: detached from ${id}\r\n      ${told}\r\n`);
    await bench.end(id);
  });

  test("has it when that one leaves, and is told again when it is taken", async () => {
    using bench = new AttachBench();
    const id = await bench.start(ECHO, ["--input", "lease"]);
    await using one = bench.attach(id);
    await one.sees("ready");
    one.type("first\r");
    await using two = bench.attach(id);
    await two.sees("got first");
    two.type("x");
    await two.sees("client c1 has the keyboard");
    one.type(LEAVE);
    await one.exit();
    await until("nothing is said any more", () => rows(two).at(-1) === "");
    two.type("second\r");
    await two.sees("got second");
    await using three = bench.attach(id, ["--takeover"]);
    await three.sees("got second");
    two.type("x");
    await two.sees("client c3 has the keyboard");
    await bench.end(id);
  });

  test("is not told of it for a mouse that moves, nor for a window that is looked at", async () => {
    using bench = new AttachBench();
    const id = await bench.start(`printf '\\033[?1003h\\033[?1006h\\033[?1004h'; ${ECHO}`, ["--input", "lease"]);
    await using one = bench.attach(id);
    await one.sees("ready");
    one.type("first\r");
    await using two = bench.attach(id);
    await two.sees("got first");
    two.type("\x1b[I\x1b[<35;10;10M");
    two.type("\x1b[<35;10;11M");
    one.type("second\r");
    await two.sees("got second"); // what was refused was answered before
    expect(two.text).not.toContain("has the keyboard");
    expect(count(two, BELL)).toBe(0);
    two.type("x");
    await two.sees("client c1 has the keyboard");
    await bench.end(id);
  });

  test("sees nothing over the output where that comes as it was printed, and is told when leaving", async () => {
    using bench = new AttachBench();
    const id = await bench.start(ECHO, ["--input", "lease"]);
    await using one = bench.attach(id);
    await one.sees("ready");
    one.type("first\r");
    await one.sees("got first");
    await using two = bench.attach(id, ["--replay", "raw"]);
    await two.sees("got first");
    two.type("x");
    await two.sees(BELL);
    one.type("second\r");
    await two.sees("got second");
    expect(two.text).not.toContain("has the keyboard");
    two.type(LEAVE);
    await two.exit();
    expect(two.text).toContain("client c1 has the keyboard");
    await bench.end(id);
  });
});

test("who types where they only watch is told so, once", async () => {
  using bench = new AttachBench();
  const id = await bench.start(ECHO);
  await using user = bench.attach(id, ["--read-only"]);
  await user.sees("ready");
  const told = `read-only: \`holt attach ${id}\` to type`;
  user.type("ls");
  await user.sees(told);
  user.type("\r");
  await until("it rings again", () => count(user, BELL) > 1);
  await until("the screen is as it was", () => rows(user).at(-1) === "");
  expect(count(user, told)).toBe(1);
  user.type("\x03");
  expect(await user.exit()).toEqual({ exitCode: 0, signal: null });
  await bench.end(id);
});
