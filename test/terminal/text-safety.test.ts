import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { isBidiControl } from "../../src/terminal/parser/bidi-controls.ts";
import { MAX_LINE } from "../../src/terminal/text/line-cells.ts";
import { TextView, renderText } from "../../src/terminal/text/text-view.ts";
import { inPieces } from "./in-pieces.ts";

function unsafe(output: string): string[] {
  return [...output].filter((character) => {
    const code = character.codePointAt(0) ?? 0;
    return (
      (code < 0x20 && character !== "\n" && character !== "\t") || (code >= 0x7f && code < 0xa0) || isBidiControl(code)
    );
  });
}

/** Random bytes biased towards those the parser treats specially. */
const fragment = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      "\x1b",
      "\x1b[",
      "\x1b]",
      "\x1bP",
      "\x1b_",
      "\x1bX",
      "\x1b^",
      "\x1bk",
      "\x1bN",
      "\x1bO",
      "\x1b\\",
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "\x9b",
      "\x9d",
      "\x90",
      "\x9c",
      "\x98",
      "\x8f",
      "\xc2\x9b",
      "\xc2\x9d",
      "\xc2\x9c",
      "\x07",
      "\x18",
    ),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom("\r", "\n", "\b", "\t", "\r\n", "_", "\x7f", "\0", "\x0e", "\x0f", "(0", "%G"),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      "2K",
      "K",
      "1K",
      "2J",
      "3G",
      "5C",
      "2D",
      "3;4H",
      "A",
      "B",
      "4P",
      "3@",
      "2X",
      "31m",
      "?25l",
      "d",
    ),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      "abc",
      "0;title",
      "\xe6\x97\xa5",
      "\xe6\x97",
      "\xe2\x80\xae",
      "\xcc\x81",
      "\xf0\x9f\x91\x8d",
      "\xff",
      "x".repeat(500),
    ),
  },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes).toString("latin1")) },
);
const hostile = fc.array(fragment, { maxLength: 60 }).map((parts) => Buffer.from(parts.join(""), "latin1"));
const anyBytes = fc.oneof(hostile, fc.uint8Array({ maxLength: 300 }));

describe("The text view is safe to print", () => {
  test("No control character but newline and tab comes out, whatever the input and its chunks.", () => {
    fc.assert(
      fc.property(anyBytes, fc.array(fc.nat(), { maxLength: 8 }), (bytes, cuts) => {
        expect(unsafe(inPieces(bytes, cuts))).toEqual([]);
      }),
      { numRuns: 3000 },
    );
  });

  test("The result does not depend on how the bytes were cut.", () => {
    fc.assert(
      fc.property(anyBytes, fc.array(fc.nat(), { maxLength: 8 }), (bytes, cuts) => {
        expect(inPieces(bytes, cuts)).toBe(renderText(bytes));
      }),
      { numRuns: 3000 },
    );
    fc.assert(
      fc.property(hostile, (bytes) => {
        const everyByte = Array.from(bytes, (_, index) => index);
        expect(inPieces(bytes, everyByte)).toBe(renderText(bytes));
      }),
      { numRuns: 1000 },
    );
  });

  test("Flushing unfinished lines is safe too, and every finished line comes out whole.", () => {
    fc.assert(
      fc.property(fc.array(hostile, { maxLength: 5 }), (chunks) => {
        const view = new TextView();
        let watched = "";
        for (const chunk of chunks) watched += view.push(chunk) + view.flush();
        watched += view.end();
        expect(unsafe(watched)).toEqual([]);
        const lines = new Set(watched.split("\n"));
        for (const line of renderText(Buffer.concat(chunks)).split("\n"))
          if (line.length < MAX_LINE) expect(lines).toContain(line);
      }),
      { numRuns: 1000 },
    );
  });
});
