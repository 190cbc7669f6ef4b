/** What the seed calls success: bash, htop and nano over WebSocket, several attached, one who comes later goes on where the others are. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Emulator } from "../../src/terminal/emulator/emulator.ts";
import { screenText } from "../../src/terminal/screen/screen-text.ts";
import { until } from "../chaos/size.ts";
import { type Served, sharedWeb } from "./served.ts";
import type { Terminal } from "./terminal-client.ts";

const web = sharedWeb();
const SIZE = { cols: "100", rows: "30" };

/** Created as the seed has it, with the token that its answer brings. */
async function created(served: Served, cmd: string[]): Promise<{ id: string; token: string }> {
  const env = { TERM: "xterm-256color", HOME: served.bench.root, PS1: "$ ", HISTFILE: "" };
  const { status, body } = await served.post(
    "/api/v1/pty/sessions",
    { cmd, cols: 100, rows: 30, env },
    served.ownerToken,
  );
  expect(status).toBe(201);
  const { id, token } = body.data as { id: string; token: string };
  return { id, token };
}

/** The text of the cells, as a terminal shows them that got what this client got. */
function screenOf(terminal: Terminal): string {
  using emulator = new Emulator({ cols: 100, rows: 30 });
  emulator.write(terminal.shown);
  return screenText(emulator.screen());
}

describe.each([{ isBinary: false }, { isBinary: true }])("binary: $isBinary", ({ isBinary }) => {
  test("bash: what is typed is run, a resize is seen, one who comes later sees what was before and types on", async () => {
    const served = web();
    const { id, token } = await created(served, ["bash", "--norc", "--noprofile"]);
    const first = await served.attach(id, { token, isBinary, query: SIZE });
    await first.sees("$ ");
    first.type("echo $((6 * 7)) | tee made\r");
    await first.sees("42");
    const second = await served.attach(id, { token, isBinary, query: SIZE });
    await second.sees("42");
    second.type("echo and $(cat made)\r");
    for (const each of [first, second]) await each.sees("and 42");
    second.resize(120, 40);
    first.resize(120, 40);
    await until("both have it", () => [first, second].every((each) => each.of("redrawn").at(-1)?.cols === 120));
    first.type("stty size\r");
    for (const each of [first, second]) await each.sees("40 120");
    second.type("exit 5\r");
    for (const each of [first, second]) expect(await each.hears("exit")).toMatchObject({ code: 5 });
  });

  test("htop: its screen is there, also for one who comes later, and its keys work", async () => {
    const served = web();
    const { id, token } = await created(served, ["htop", "--no-color", "--delay=100"]);
    const first = await served.attach(id, { token, isBinary, query: SIZE });
    await until("it is drawn", () => screenOf(first).includes("F10Quit"));
    const second = await served.attach(id, { token, isBinary, query: SIZE });
    await until("it is drawn", () => screenOf(second).includes("F10Quit"));
    expect(second.of("history").at(-1)).toMatchObject({ modes: { alternate_screen: true } });
    second.type("\x1bOP"); // F1
    for (const each of [first, second])
      await until("help is shown", () => screenOf(each).includes("Released under the GNU"));
    first.type("q");
    await until("it is back", () => screenOf(first).includes("F10Quit"));
    second.type("q");
    for (const each of [first, second]) expect(await each.hears("exit")).toMatchObject({ code: 0 });
  });

  test("nano: what is typed by two is in the file, and both see it", async () => {
    const served = web();
    const path = join(served.bench.root, `poem-${isBinary}`);
    const { id, token } = await created(served, ["nano", "--ignorercfiles", path]);
    const first = await served.attach(id, { token, isBinary, query: SIZE });
    await until("it is drawn", () => screenOf(first).includes("^X Exit"));
    first.type("one line\r");
    await until("it is shown", () => screenOf(first).includes("one line"));
    const second = await served.attach(id, { token, isBinary, query: SIZE });
    await until("it is shown", () => screenOf(second).includes("one line"));
    second.type("and another");
    for (const each of [first, second])
      await until("both are shown", () => /one line\s+and another/.test(screenOf(each)));
    second.type("\x18"); // Ctrl-X
    await until("it asks", () => screenOf(first).includes("Save modified buffer"));
    first.type("y");
    await until("it asks", () => screenOf(second).includes("File Name to Write"));
    second.type("\r");
    for (const each of [first, second]) expect(await each.hears("exit")).toMatchObject({ code: 0 });
    expect(readFileSync(path, "utf8")).toBe("one line\nand another\n");
  });
});
