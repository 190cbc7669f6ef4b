import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { lastLine, oneLine } from "../../src/terminal/text/one-line.ts";
import { cutToWidth, displayWidth } from "../../src/terminal/text/width.ts";

describe("Untrusted text in one line", () => {
  test("Ordinary text is left as it is.", () => {
    expect(oneLine("  two  blanks ")).toBe("  two  blanks ");
    expect(oneLine("日本語 👍🏽")).toBe("日本語 👍🏽");
  });

  test("Escape sequences, line breaks and bidi controls are removed.", () => {
    expect(oneLine("a\x1b[31mb\x1b]0;owned\x07c\x9b4md")).toBe("abcd");
    expect(oneLine("one\ntwo\tthree\r\nfour")).toBe("one two three four");
    expect(oneLine("abc\u202edcba\u202c\u2066x\u2069\u2028y")).toBe("abcdcbaxy");
  });

  test("Any text becomes one safe line.", () => {
    const odd = fc.constantFrom("\x1b[", "\x1b]", "\x9b", "\u202e", "\n", "\r", "\b", "x", "日", "\ud800", "\x07");
    fc.assert(
      fc.property(fc.array(fc.oneof(odd, fc.string({ unit: "binary" }))), (parts) => {
        expect(oneLine(parts.join(""))).not.toMatch(/[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("The last line of output", () => {
  test.each([
    ["ready on http://localhost:3100\n", "ready on http://localhost:3100"],
    ["a\nPassword: ", "Password:"],
    ["3 failed, 120 passed\n\n  \n", "3 failed, 120 passed"],
    [" 10%\r 55%\r 99%", "99%"],
    ["\x1b[1mbold\x1b[0m\r\n", "bold"],
    ["", ""],
  ])("%j", (output, line) => {
    expect(lastLine(Buffer.from(output))).toBe(line);
  });
});

test("Cut text fits, and shows that it was cut.", () => {
  expect(cutToWidth("hello", 5)).toBe("hello");
  expect(cutToWidth("hello!", 5)).toBe("hell…");
  expect(cutToWidth("日本語", 5)).toBe("日本…");
  expect(cutToWidth("日本語", 4)).toBe("日…");
  expect(cutToWidth("e\u0301e\u0301e\u0301", 2)).toBe("e\u0301…");
  expect(cutToWidth("hello", 0)).toBe("");
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.nat(20), (text, columns) => {
      expect(displayWidth(cutToWidth(text, columns))).toBeLessThanOrEqual(columns);
    }),
  );
});
