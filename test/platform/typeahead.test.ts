import { expect, test } from "bun:test";
import { restoreTypedKeys } from "../../src/platform/tty/typeahead.ts";
import type { LineMode } from "../../src/platform/tty/terminal-device.ts";

const MODE: LineMode = {
  isCanonical: true,
  echoes: true,
  endOfFile: 4,
  returnIsNewline: true,
  signalKeys: [3, 28, 26],
};

test.each([
  ["lines, and the beginning of one", "one\ntwo\nthr", 8, "one\rtwo\rthr"],
  ["a line that was ended by Ctrl-D", "one\0two", 3, "one\x04two"],
  ["a Ctrl-D alone", "one\n\0", 4, "one\r\x04"],
  ["several", "one\0\0two\n\0", 7, "one\x04\x04two\r\x04"],
  ["a NUL that was typed", "one\0two", 0, "one\0two"],
  ["one that was typed in a line", "o\0ne\ntwo", 5, "o\0ne\rtwo"],
  ["what a line editor has left unread", "one\rtwo", 7, "one\rtwo"],
  ["the same with a NUL in it", "one\0two", 7, "one\0two"],
  ["nothing", "", 0, ""],
])("of what waits in a terminal with lines, these are the keys: %s", (_, waiting, inLines, keys) => {
  expect(Buffer.from(restoreTypedKeys(Buffer.from(waiting), inLines, MODE)).toString()).toBe(keys);
});

test("Enter stays a newline where the terminal does not translate it", () => {
  const mode = { ...MODE, returnIsNewline: false };
  expect(Buffer.from(restoreTypedKeys(Buffer.from("one\n"), 4, mode)).toString()).toBe("one\n");
});
