import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { Emulator } from "../../src/terminal/emulator/emulator.ts";
import { screenText } from "../../src/terminal/screen/screen-text.ts";
import { emulated, knownOf } from "./emulated.ts";

const SCREEN = { cols: 80, rows: 24 };
const MIB = 1024 * 1024;

test("a count of two thousand million neither hangs nor fills the memory", () => {
  for (const final of "@ABCDEFGHIJKLMPSTXZ`abdefghlmnrtu'") {
    using emulator = emulated(SCREEN, `text\x1b[2147483647${final}\x1b[2147483647;2147483647${final}`);
    emulator.write(Buffer.from("\x1b[2147483647'}\x1b[2147483647'~\x1b[2147483647 @\x1b[2147483647 A"));
    expect(emulator.screen().lines).toHaveLength(24);
  }
});

test("erasing upwards at the bottom right corner erases everything, where xterm throws", () => {
  expect(screenText(emulated({ cols: 4, rows: 3 }, "one\r\ntwo\r\nfour\x1b[1J").screen())).toBe("");
  expect(screenText(emulated({ cols: 4, rows: 3 }, "one\r\ntwo\r\nfo\x1b[1J\rx").screen())).toBe("\n\nx");
});

test.each([
  ["a title", "\x1b]2;"],
  ["a clipboard", "\x1b]52;c;"],
  ["an unknown OSC", "\x1b]777;"],
  ["a DECRQSS", "\x1bP$q"],
  ["a picture", "\x1bPq"],
  ["an APC", "\x1b_G"],
])("%s of 100 MB is not kept, its end is seen, and what follows is shown", (_, opening) => {
  using emulator = emulated(SCREEN, opening);
  const chunk = Buffer.alloc(MIB, "x");
  Bun.gc(true);
  const before = process.memoryUsage().rss;
  for (let written = 0; written < 100; written++) emulator.write(chunk);
  Bun.gc(true); // exclude garbage from the measurement
  expect(process.memoryUsage().rss - before).toBeLessThan(64 * MIB);
  expect(emulator.replay().length).toBeLessThan(64 * 1024);
  emulator.write(Buffer.from("\x1b\\after"));
  expect(emulator.title).toBe("");
  expect(screenText(emulator.screen())).toBe("after");
});

test("a million parameters, marks or links are as good as a few", () => {
  using parameters = emulated(SCREEN, "\x1b[", "1;".repeat(1_000_000));
  expect(parameters.replay().length).toBeLessThan(64 * 1024);
  parameters.write(Buffer.from("mshown"));
  expect(screenText(parameters.screen())).toBe("shown");

  using marks = emulated(SCREEN, `a${"\u0301".repeat(1_000_000)}b`);
  expect(screenText(marks.screen()).length).toBeLessThan(100);

  using links = emulated(SCREEN);
  for (let index = 0; index < 10_000; index++) {
    links.write(Buffer.from(`\x1b]8;id=${index};https://a.example/${index}\x07x\x1b]8;;\x07\r`));
  }
  expect(links.screen().lines[0]?.[0]?.style.link).toEqual({ uri: "https://a.example/9999", id: "9999" });
});

test("no bytes at all make it throw, at any size", () => {
  const bytes = fc.array(fc.oneof(fc.uint8Array({ maxLength: 64 }), fc.constant(Buffer.from("\x1b["))), {
    maxLength: 30,
  });
  fc.assert(
    fc.property(bytes, fc.nat(6), fc.nat(4), (chunks, cols, rows) => {
      using emulator = new Emulator({ cols, rows, scrollback: 0 });
      for (const chunk of chunks) emulator.write(chunk);
      emulator.resize(rows, cols);
      for (const chunk of chunks) emulator.write(chunk);
      expect(knownOf(emulator)).toBeDefined();
    }),
    { numRuns: 300 },
  );
});
