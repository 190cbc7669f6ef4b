/**
 * Regression: an agent that read a shell's output found a line typed by holt before each of its
 * commands.
 */
import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { commandDisplay, saveCursor } from "../../src/holder/shell/command-display.ts";
import { textOfRawLine } from "../../src/terminal/text/line-text.ts";
import { TextView, renderText } from "../../src/terminal/text/text-view.ts";

const SIZE = { cols: 80, rows: 24, width: 0, height: 0 };
const TYPED = [
  ' __holt_take; \\builtin eval -- "$__holt_command"; { __holt_done; } 2>/dev/null\r\n',
  " \b __holt\x1b[?1l\x1b>\x1b[?2004l\r\r\n",
  " \r\x1b[25C__holt_take;\r\x1b[37C \x1b[34m__holt_done\r\x1b[79C\r\n",
];
const given = (typed: string): string =>
  `$ ${saveCursor(typed.length, SIZE)}${typed}${commandDisplay("echo é", "saved")}\r\né\r\n$ `;

test.each(TYPED)("a line typed by holt (%j) is in no text, in any chunks", (typed) => {
  const bytes = Buffer.from(given(typed));
  expect(renderText(bytes)).toBe("$ \necho é\né\n$ ");
  fc.assert(
    fc.property(fc.array(fc.nat({ max: bytes.length })), (cuts) => {
      const view = new TextView();
      const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
      const parts = places.slice(1).map((to, i) => view.push(bytes.subarray(places[i], to)));
      expect(parts.join("") + view.end()).toBe("$ \necho é\né\n$ ");
    }),
  );
  const [first = ""] = given(typed).split("\n");
  expect(textOfRawLine(Buffer.from(`${first}\n`)).map(({ text }) => text)).toEqual(["$ "]);
  expect(renderText(Buffer.from(first))).toBe("$ ");
});

test.each([
  ["another's text behind a kept place", "$ \x1bD\x1b[1A\x1b7words\r\nmore", ["words", "more"]],
  ["half of a kept place", "$ \x1bD\x1b[1Awords __holt\r\n", ["words __holt"]],
  ["the name alone", "$ \x1b7 __holt_take\r\n", ["$  __holt_take"]],
  ["a kept place at the very end", "$ x\x1bD\x1bD\x1b[2A\x1b7", ["$ x"]],
  ["an escape in the middle of another", "\x1b\x1bD\x1b\x1b[2A\x1bD\x1b[31mred __holt", ["red __holt"]],
  ["a line without an end", `\x1bD\x1b[1A\x1b7${"x".repeat(5000)}__holt\n`, [`${"x".repeat(5000)}__holt`]],
])("%s is shown as it always was", (_, output, shown) => {
  const text = renderText(Buffer.from(output));
  for (const part of shown) expect(text).toContain(part);
});
