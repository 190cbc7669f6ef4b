import { expect, test } from "bun:test";
import { textOf } from "../../src/protocol/types/bytes.ts";
import { Emulator } from "../../src/terminal/emulator/emulator.ts";
import { screenText } from "../../src/terminal/screen/screen-text.ts";
import type { StateQuery } from "../../src/terminal/queries/state-query.ts";
import { emulated } from "./emulated.ts";

const SCREEN = { cols: 20, rows: 5 };
const shown = (...chunks: (string | Uint8Array)[]): string => screenText(emulated(SCREEN, ...chunks).screen());
const answer = (query: StateQuery, ...chunks: string[]): string | null => {
  const bytes = emulated(SCREEN, ...chunks).answer(query);
  return bytes === null ? null : textOf(bytes);
};

test("output is applied when write returns: xterm's own write applies it a turn later", () => {
  using emulator = new Emulator(SCREEN);
  emulator.write(Buffer.from("at once"));
  expect(screenText(emulator.screen())).toBe("at once");
});

test("a character split at a byte whose low bits are zero is not lost, as it is in xterm's decoder", () => {
  expect(shown(Uint8Array.of(0xe2, 0x80), Uint8Array.of(0x94))).toBe("—");
});

test("what is not UTF-8 shows as replacement characters, whatever the chunks", () => {
  expect(shown(Uint8Array.of(0x61, 0xff, 0xe2, 0x80), Uint8Array.of(0x62))).toBe("a\ufffd\ufffdb");
});

test("emoji and ideographs take two columns, marks none, and the parts of a ZWJ sequence their own", () => {
  const [line = []] = emulated(SCREEN, "漢e\u0301👩‍👧x").screen().lines;
  expect(line.map(({ text, columns }) => [text, columns])).toEqual([
    ["漢", 2],
    ["e\u0301", 1],
    ["👩‍", 2],
    ["👧", 2],
    ["x" + " ".repeat(12), 13],
  ]);
});

test("a saved cursor is a position on the screen: scrolling does not move it", () => {
  expect(shown("1\r\n2\r\n3\r\n4\r\n5\x1b7\r\n6\r\n7\x1b8*")).toBe("3\n4\n5\n6\n7*");
});

test("a window's name for screen and tmux is not printed", () => {
  expect(shown("a\x1bkname\x1b\\b")).toBe("ab");
  expect(shown("a\x1b", "kna", "me\x1b\\b")).toBe("ab");
});

test("the working directory is read in the form of every shell", () => {
  const cwd = (data: string): string | null => emulated(SCREEN, `\x1b]${data}\x07`).cwd;
  expect(cwd("7;file://host/a%20b")).toBe("/a b");
  expect(cwd("1337;CurrentDir=/x")).toBe("/x");
  expect(cwd('9;9;"C:\\x"')).toBe("C:\\x");
  expect(cwd("7;nonsense")).toBeNull();
  expect(cwd("9;a notification")).toBeNull();
});

test("the cursor's place is reported from the top of the region in origin mode, and at the edge when a wrap is due", () => {
  const query: StateQuery = { kind: "cursor_position", isPrivate: false };
  expect(answer(query, "\x1b[3;7H")).toBe("\x1b[3;7R");
  expect(answer({ ...query, isPrivate: true }, "\x1b[2;4r\x1b[?6h\x1b[2;2H")).toBe("\x1b[?2;2R");
  expect(answer(query, "x".repeat(20))).toBe("\x1b[1;20R");
});

test("modes and settings are reported as they are", () => {
  expect(answer({ kind: "mode", isPrivate: true, mode: 2004 }, "\x1b[?2004h")).toBe("\x1b[?2004;1$y");
  expect(answer({ kind: "mode", isPrivate: true, mode: 25 }, "\x1b[?25l")).toBe("\x1b[?25;2$y");
  expect(answer({ kind: "mode", isPrivate: true, mode: 4242 })).toBe("\x1b[?4242;0$y");
  expect(answer({ kind: "mode", isPrivate: false, mode: 4 }, "\x1b[4h")).toBe("\x1b[4;1$y");
  expect(answer({ kind: "setting", setting: "m" }, "\x1b[1;31;4:3m")).toBe("\x1bP1$r0;1;4:3;31m\x1b\\");
  expect(answer({ kind: "setting", setting: "r" }, "\x1b[2;4r")).toBe("\x1bP1$r2;4r\x1b\\");
  expect(answer({ kind: "setting", setting: " q" }, "\x1b[5 q")).toBe("\x1bP1$r5 q\x1b\\");
  expect(answer({ kind: "setting", setting: "constructor" })).toBe("\x1bP0$r\x1b\\");
  expect(answer({ kind: "keyboard_flags" }, "\x1b[>5u\x1b[>1u\x1b[<u")).toBe("\x1b[?5u");
});

test("colours are reported once the program set them, sizes in cells, and in pixels when known", () => {
  expect(answer({ kind: "color", color: "background", terminator: "st" })).toBeNull();
  expect(answer({ kind: "color", color: "background", terminator: "bel" }, "\x1b]11;#102030\x07")).toBe(
    "\x1b]11;rgb:1010/2020/3030\x07",
  );
  expect(answer({ kind: "color", color: 1, terminator: "st" })).toBe("\x1b]4;1;rgb:cdcd/0000/0000\x1b\\");
  expect(answer({ kind: "color", color: 1, terminator: "st" }, "\x1b]4;1;#fff\x07\x1b]104\x07")).toBe(
    "\x1b]4;1;rgb:cdcd/0000/0000\x1b\\",
  );
  expect(answer({ kind: "size", what: "cells" })).toBe("\x1b[8;5;20t");
  expect(answer({ kind: "size", what: "pixels" })).toBeNull();
  using emulator = emulated(SCREEN);
  emulator.pixels = { width: 200, height: 100 };
  expect(textOf(emulator.answer({ kind: "size", what: "cell_pixels" }) ?? new Uint8Array())).toBe("\x1b[6;20;10t");
});

test("a full reset resets also what xterm forgets", () => {
  const { modes } = emulated(SCREEN, "\x1b[?25l\x1b[20h\x1b[?1006h\x1b[?5h\x1b[>3u\x1bc");
  expect(modes).toMatchObject({
    cursor_visible: true,
    newline: false,
    mouse_encoding: "default",
    reverse_video: false,
  });
  expect(modes.kitty_keyboard).toBe(0);
});
