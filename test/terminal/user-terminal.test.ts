/**
 * Regression: after an attach inside another session, or in a terminal that follows DEC's manual,
 * the notice and the next prompt appeared at the top of the screen: a soft reset also clears the
 * saved cursor, and the cursor was saved before it.
 */
import { describe, expect, test } from "bun:test";
import { bytesOf } from "../../src/protocol/types/bytes.ts";
import { enterScreen, leaveScreen } from "../../src/terminal/screen/user-terminal.ts";
import { Emulator } from "../../src/terminal/emulator/emulator.ts";
import { screenText } from "../../src/terminal/screen/screen-text.ts";

const SIZE = { cols: 30, rows: 6 };

function shown(...parts: string[]): string[] {
  using emulator = new Emulator({ ...SIZE, scrollback: 0 });
  for (const part of parts) emulator.write(bytesOf(part));
  return screenText(emulator.screen()).split("\n");
}

describe("a terminal after an attach", () => {
  const enter = enterScreen(SIZE);

  test("continues below its contents", () => {
    expect(shown(enter, "one\r\ntwo\r\n$ ", leaveScreen({ alternate: false, colors: "" }), "left\r\n$ ")).toEqual([
      "one",
      "two",
      "$",
      "left",
      "$",
    ]);
  });

  test("continues below them, whatever margins and origin mode were left on", () => {
    const odd = "\x1b[2;4r\x1b[?6h\x1b[?7l\x1b[4h\x1b[2;1Hhere";
    expect(shown(enter, odd, leaveScreen({ alternate: false, colors: "" }), "left")).toEqual(["", "", "here", "left"]);
  });

  test("continues where it was before a full-screen program", () => {
    const full = "one\r\n$ vim\r\n\x1b[?1049h\x1b[H\x1b[2Jfull\r\nscreen";
    expect(shown(enter, full, leaveScreen({ alternate: true, colors: "" }), "left")).toEqual([
      "one",
      "$ vim",
      "",
      "left",
    ]);
  });
});
