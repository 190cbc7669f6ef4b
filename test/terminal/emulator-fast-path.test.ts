import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { openCore } from "../../src/terminal/emulator/emulator-core.ts";
import { FastPath } from "../../src/terminal/emulator/emulator-fast-path.ts";
import { Emulator } from "../../src/terminal/emulator/emulator.ts";
import { knownOf, type Size } from "./emulated.ts";
import { size, soup } from "./soup.ts";

const FIXTURES = join(import.meta.dir, "fixtures");
const programs = readdirSync(FIXTURES).map((file): [string, Buffer] => [file, readFileSync(join(FIXTURES, file))]);

/**
 * The state after writing these pieces and a little more, which reveals what the emulator remembers
 * of the last character.
 */
function shown(options: Size & { fastPath: boolean }, pieces: readonly Uint8Array[]): object[] {
  using emulator = new Emulator({ ...options, scrollback: 20 });
  for (const piece of pieces) emulator.write(piece);
  const states = [knownOf(emulator)];
  for (const more of ["\x1b[3b", "\u0301x", "\x1b8\x1b[Kabc\r\n"]) {
    emulator.write(Buffer.from(more));
    states.push(knownOf(emulator));
  }
  return states;
}

function cut(bytes: Uint8Array, lengths: readonly number[]): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let at = 0;
  for (const length of lengths) {
    pieces.push(bytes.subarray(at, at + length));
    at += length;
  }
  return [...pieces, bytes.subarray(at)];
}

const numbers = (most: number, least = 0): fc.Arbitrary<string> =>
  fc
    .array(
      fc.oneof(
        { weight: 5, arbitrary: fc.integer({ min: least, max: most }) },
        { weight: 1, arbitrary: fc.constant("") },
      ),
      {
        maxLength: 3,
      },
    )
    .map((values) => values.join(";"));
const COLORS = [
  "38;5;9",
  "38;5;300",
  "48;5",
  "48;5;201",
  "38;2;1;2;3",
  "48;2;255;253;251",
  "38;2;1",
  "0",
  "0",
  "4",
  "24",
];
const MALFORMED = [
  "\xe0\x81\x81",
  "\xed\xa1\x81",
  "\xc1\x81",
  "\xc2",
  "\xe2\x94",
  "\x9b",
  "\xff",
  "\xe2\x94A",
  "\xf0\x80\x81\x81",
];
const MODES = ["?7l", "?7h", "4h", "4l", "?6h", "?6l", "2;3r", "r", "?1049h", "?1049l"];

/** Common output, and what ends the fast path, on screens so small that everything interacts. */
const busy = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: fc.string({ minLength: 1, maxLength: 9 }) },
      {
        weight: 4,
        arbitrary: fc.constantFrom("漢字", "字", "─┐é", "e\u0301", "\u00ad", "\u0080", "👍", "\ufeff", "\u07ff\u0800"),
      },
      {
        weight: 1,
        arbitrary: fc.constantFrom("\u009b1m", "\x1b[1:2m", "\x1b[1 q", "\x1b[\r3m", "\x1b[99999999m", "\x1b[?25l"),
      },
      {
        weight: 6,
        arbitrary: fc
          .tuple(numbers(7), fc.constantFrom(..."HHHHfKKKKABCDGdXPLMJ@b".split("")))
          .map(([values, final]) => `\x1b[${values}${final}`),
      },
      {
        weight: 5,
        arbitrary: fc
          .array(fc.oneof(fc.integer({ min: 0, max: 110 }), fc.constantFrom(...COLORS)), { maxLength: 4 })
          .map((values) => `\x1b[${values.join(";")}m`),
      },
      {
        weight: 4,
        arbitrary: fc.constantFrom(
          "\r\n",
          "\r",
          "\n",
          "\t",
          "\b",
          "\x1b(B",
          "\x1b(0",
          "\x1b7",
          "\x1b8",
          "\x1bM",
          "\x7f",
        ),
      },
      { weight: 1, arbitrary: fc.constantFrom(...MALFORMED).map((text) => Buffer.from(text, "latin1")) },
      { weight: 2, arbitrary: fc.constantFrom(...MODES).map((mode) => `\x1b[${mode}`) },
      { weight: 1, arbitrary: fc.constantFrom("\x1b]8;;http://a/\x07", "\x1b]8;;\x07", "\x1bc", "\x1b]2;t\x07") },
    ),
    { minLength: 20, maxLength: 80 },
  )
  .map((parts) => Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part))));
const small = fc.record({ cols: fc.integer({ min: 2, max: 9 }), rows: fc.integer({ min: 1, max: 6 }) });
const screens = fc.oneof(fc.tuple(small, busy), fc.tuple(size, soup));

test("the fast path shows what xterm shows, whatever the output and its chunks", () => {
  fc.assert(
    fc.property(screens, fc.array(fc.nat({ max: 60 })), ([screen, output], lengths) => {
      const expected = shown({ ...screen, fastPath: false }, [output]);
      expect(shown({ ...screen, fastPath: true }, cut(output, lengths))).toEqual(expected);
    }),
    { numRuns: 1500 },
  );
});

test("without wraparound, output behind a wide character at the edge shows the same in any chunks", () => {
  // Regression, found by the property above: in one piece the left half of the wide character
  // stayed.
  const screen = { cols: 2, rows: 1, fastPath: true };
  const [before, after] = [Buffer.from("\x1b[?7l漢字"), Buffer.from("x")];
  const whole = shown(screen, [Buffer.concat([before, after])]);
  expect(shown(screen, [before, after])).toEqual(whole);
  expect(whole[0]).toMatchObject({ lines: [[{ text: " x" }]] });
});

test.each([
  ["over the left half of a wide character", "\x1b[31m漢\x1b[42m\x1b[HX"],
  ["over the right half of a wide character", "\x1b[31m漢\x1b[42m\x1b[1;2HX"],
  ["an erasure from the right half of a wide character", "\x1b[31m漢字\x1b[42m\x1b[1;4H\x1b[K"],
  ["an erasure in a colour", "text\x1b[48;2;9;255;9;1;4m\x1b[1;3H\x1b[K"],
  ["an erasure where a wrap is due", "\x1b[41m12345678\x1b[Kx"],
  ["an address that counts from the margin", "\x1b[2;3r\x1b[?6h\x1b[1;1HX\x1b[9;9HY\x1b[K"],
  ["an address outside of the screen", "\x1b[99;99Hx\x1b[0;0Hy\x1b[;3Hz"],
  ["a line that wraps below the margin", "\x1b[1;2r\x1b[5;7Habcdefghijklmn"],
])("%s shows what xterm shows", (_, output) => {
  const screen = { cols: 8, rows: 5 };
  const expected = shown({ ...screen, fastPath: false }, [Buffer.from(output)]);
  expect(shown({ ...screen, fastPath: true }, [Buffer.from(output)])).toEqual(expected);
});

test.each([
  ["a log in colours", "\x1b[2m12\x1b[0m \x1b[1;31merror\x1b[0m: \x1b[38;5;208mfile.ts\x1b[39m\tat 3\b\r\n"],
  [
    "a full-screen program",
    "\x1b[?1049h\x1b[?25l\x1b[H\x1b[7m top\x1b[K\x1b(B\x1b[m\x1b[3;1H│ é\x1b[2d\x1b[4X\x1b[2J\x1b[?25h",
  ],
  ["a program that moves and scrolls", "\x1b7\x1b[2;4r\x1b[4;1H\n\x1b[r\x1b8\x1b[2A\x1b[1M\x1b[2L\x1b=\x1b>\x1bM"],
])("of %s nothing is left to xterm's parser", (_, output) => {
  const { core } = openCore({ cols: 80, rows: 24, scrollback: 20 });
  const bytes = Buffer.from(output);
  expect(new FastPath(core._inputHandler).take(bytes, 0)).toBe(bytes.length);
  core.dispose();
});

test.each(programs)("the output of %s shows what xterm shows", (_, printed) => {
  for (const screen of [
    { cols: 80, rows: 24 },
    { cols: 33, rows: 7 },
  ]) {
    const expected = shown({ ...screen, fastPath: false }, [printed]);
    expect(shown({ ...screen, fastPath: true }, [printed])).toEqual(expected);
    expect(shown({ ...screen, fastPath: true }, cut(printed, Array<number>(printed.length).fill(3)))).toEqual(expected);
  }
});
