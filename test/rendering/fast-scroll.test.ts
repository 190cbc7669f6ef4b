import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { skipScrolledLines } from "../../src/rendering/fast-scroll.ts";
import { Emulator } from "../../src/terminal/emulator/emulator.ts";

const SIZE = { cols: 20, rows: 5, scrollback: 10 };
const KEEP = 2 * SIZE.rows + SIZE.scrollback + 1;
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

function shownAfter(...pieces: Uint8Array[]): unknown {
  using emulator = new Emulator(SIZE);
  for (const piece of pieces) emulator.write(piece);
  return { screen: emulator.screen(), replay: new TextDecoder().decode(emulator.replay()) };
}

const line = fc
  .array(
    fc.oneof(
      {
        weight: 6,
        arbitrary: fc.string({ unit: "grapheme", maxLength: 30 }).map((text) => text.replaceAll(/[\p{C}]/gu, "")),
      },
      {
        weight: 2,
        arbitrary: fc.constantFrom(
          "\x1b[31m",
          "\x1b[0m",
          "\x1b[1;44m",
          "\x1b[38;5;9m",
          "\x1b[K",
          "\x1b[m",
          "\x1b[0;4m",
          "\x1b[;35m",
          "\x1b[00;3m",
          "\x1b[0:1;9m",
          "\x1b[4:3;58:5:3m",
          "\x1b[48;2;0;200;0m",
          "\x1b[39m",
          "\t",
          "\b",
          "\r",
        ),
      },
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(""));
const lines = fc.array(line, { minLength: KEEP + 5, maxLength: 60 }).map((all) => all.join("\r\n"));

test("A flood with skipped lines shows the same screen as the whole flood.", () => {
  let skipped = 0;
  fc.assert(
    fc.property(fc.string({ maxLength: 40 }), lines, (before, flood) => {
      const [start, bytes] = [bytesOf(before.replaceAll(/[\p{C}]/gu, "")), bytesOf(flood)];
      const pieces = skipScrolledLines(bytes, KEEP);
      if (pieces === null) return;
      skipped++;
      expect(shownAfter(start, ...pieces)).toEqual(shownAfter(start, bytes));
    }),
    { numRuns: 1000 },
  );
  expect(skipped).toBeGreaterThan(100);
});

test("Colours that were reset are not kept, however many there were.", () => {
  const flood = bytesOf("\x1b[1;31merror\x1b[0m: \x1b[4mhere\x1b[24m\r\n".repeat(KEEP * 9));
  const [colors = flood, lineEnd] = skipScrolledLines(flood, KEEP) ?? [];
  expect(new TextDecoder().decode(colors)).toBe("\x1b[0m\x1b[4m\x1b[24m");
  expect(lineEnd).toEqual(bytesOf("\r\n"));
});

test.each([
  ["moves the cursor", "\x1b[2;2H"],
  ["sets a mode", "\x1b[?1049h"],
  ["sets a scroll region", "\x1b[2;3r"],
  ["changes the character set", "\x0e"],
  ["is a control of eight bits", "\u0085"],
  ["is a title", "\x1b]2;title\x07"],
  ["is not finished", "\x1b[3"],
])("Nothing is left out before what %s.", (_, sequence) => {
  const flood = `${sequence}${"line\r\n".repeat(KEEP * 3)}`;
  expect(skipScrolledLines(bytesOf(flood), KEEP)).toBeNull();
});

test("Few lines, or one without an end, are written whole.", () => {
  expect(skipScrolledLines(bytesOf("line\r\n".repeat(KEEP - 1)), KEEP)).toBeNull();
  expect(skipScrolledLines(bytesOf("x".repeat(100_000)), KEEP)).toBeNull();
  expect(skipScrolledLines(bytesOf("no return\n".repeat(KEEP * 3)), KEEP)).toBeNull();
});
