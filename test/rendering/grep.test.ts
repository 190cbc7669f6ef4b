/** Tests that grep finds exactly the matches of a full read. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import * as fc from "fast-check";
import { type GrepLine, grep } from "../../src/rendering/grep/grep.ts";
import { ByteSearch } from "../../src/rendering/grep/byte-search.ts";
import { ScanBuffer } from "../../src/rendering/grep/scan-buffer.ts";
import { RawLines } from "../../src/rendering/grep/raw-lines.ts";
import { type TextLine, TextLines } from "../../src/rendering/grep/text-lines.ts";
import { LinePattern, type PatternSpec } from "../../src/terminal/text/line-pattern.ts";
import { requiredLiteral } from "../../src/terminal/text/required-literal.ts";
import { TranscriptReader } from "../../src/transcript/read/reader.ts";
import { StateDir } from "../client/sessions.ts";
import { anyParts, lengthOf, naiveLines, write } from "./transcripts.ts";

let state: StateDir;
beforeAll(() => {
  state = new StateDir();
});
afterAll(() => state[Symbol.dispose]());

const sought: fc.Arbitrary<PatternSpec> = fc.record({
  text: fc.constantFrom(
    "error",
    "a",
    "warning: x",
    "err.r",
    "^ok",
    "error$",
    "[^a]$",
    "e|a",
    "ok(?!ok)",
    "\\s",
    "漢",
    "%",
    "r+or",
    "^$",
    "x\\b",
    "(?:a.)?error",
    "5?0%",
    "Error",
    "WARNING: X",
  ),
  isRegex: fc.boolean(),
  ignoreCase: fc.boolean(),
});

/** The expected lines: matches with context, without duplicates. */
function naiveGrep(lines: readonly TextLine[], pattern: LinePattern, before: number, after: number): GrepLine[] {
  const isMatch = lines.map(({ channel, text }) => channel !== null && pattern.matches(text));
  const found: GrepLine[] = [];
  for (const [at, line] of lines.entries()) {
    if (isMatch[at]) found.push({ ...line, role: "match" });
    else if (isMatch.slice(Math.max(0, at - after), at).includes(true)) found.push({ ...line, role: "after" });
    else if (isMatch.slice(at, at + before + 1).includes(true)) found.push({ ...line, role: "before" });
  }
  return found;
}

test("Matches are the same between any two cursors, with any context, channels and cuts.", () => {
  const around = fc.integer({ min: 0, max: 3 });
  const cases = fc.record({
    all: anyParts,
    block: fc.constantFrom(64, 256, 100_000),
    record: fc.integer({ min: 1, max: 40 }),
    what: sought,
    before: around,
    after: around,
    a: fc.nat(),
    b: fc.nat(),
  });
  fc.assert(
    fc.property(cases, ({ all, block, record, what, before, after, a, b }) => {
      write(state, "x", all, record);
      using reader = TranscriptReader.open(state.layout, "x");
      const end = lengthOf(all);
      const [from = 0, to = 0] = [a % (end + 1), b % (end + 1)].toSorted((x, y) => x - y);
      const pattern = new LinePattern(what);
      const options = { source: reader, channel: null, end, block };
      const scan = {
        lines: new RawLines(options),
        hasOneChannel: reader.hasOneChannel(),
        rawBytes: (into: Uint8Array, position: number) => reader.rawBytes(into, position),
      };
      const request = { pattern, from, to, widest: { from, to }, before, after, lines: new TextLines(options), scan };
      const found = [...grep(request)].flatMap((part) => part.found);
      const naive = naiveLines(all, block).filter((line) => line.end > from && line.end <= to);
      // Parts and match positions of long lines are tested in read-text.test.ts.
      const lines = found.map(({ parts: _parts, at: _at, ...line }) => line);
      expect(lines).toEqual(naiveGrep(naive, pattern, before, after));
    }),
    { numRuns: 600 },
  );
});

/**
 * Regression, found by the property above: no match was reported in a line without a letter, which
 * begins where it ends.
 */
test("Empty lines are found.", () => {
  write(state, "empty", [{ channel: "pty", bytes: Buffer.from("\none\n\n\ntwo\n") }], 64);
  using reader = TranscriptReader.open(state.layout, "empty");
  const [end, from, to] = [11, 0, 11];
  const options = { source: reader, channel: null, end };
  const scan = {
    lines: new RawLines(options),
    hasOneChannel: true,
    rawBytes: (into: Uint8Array, position: number) => reader.rawBytes(into, position),
  };
  const pattern = new LinePattern({ text: "^$", isRegex: true, ignoreCase: false });
  const request = { pattern, from, to, widest: { from, to }, before: 0, after: 0, lines: new TextLines(options), scan };
  expect([...grep(request)].flatMap(({ found }) => found.map(({ start }) => start))).toEqual([0, 5, 6]);
});

/**
 * Regression, found by the property above: two channels cut by one gap, and a line of one had moved
 * to another row.
 */
test("Lines cut together come in the order of their ends, also when one of them is several lines.", () => {
  const part = (channel: "stdout" | "stderr", text: string) => ({ channel, bytes: Buffer.from(text) });
  const all = [part("stdout", "error"), part("stderr", "error\x1b[5;1H\rerror"), { gap: 3 }, part("stdout", "error")];
  write(state, "moved", all, 1);
  using reader = TranscriptReader.open(state.layout, "moved");
  const options = { source: reader, channel: null, end: lengthOf(all), block: 64 };
  const lines = [...new TextLines(options).between(0, 22)].flat();
  expect(lines).toEqual(naiveLines(all, 64).filter(({ end }) => end <= 22));
  expect(lines.map(({ end }) => end)).toEqual([16, 22, 22]);
});

test("A required literal is part of every match.", () => {
  const known: [string, string | null][] = [
    ["error: .* foo", "error: "],
    ["err[a-z]+: .*foo", "err"],
    ["(warn|error): x", ": x"],
    ["warn|error", null],
    ["ab?cd", "cd"],
    ["ab+cd", "ab"],
    ["a{0,2}bcd{2}e", "bcd"],
    ["\\d+\\.o\\b", ".o"],
    ["[a\\]|b]x\\x41y", "x"],
    ["(?=foo)bar(?:a(b)c)baz", "bar"],
    ["\\(x\\)", "(x)"],
    [".*", null],
    ["é漢", null],
  ];
  for (const [source, literal] of known) expect([source, requiredLiteral(source)]).toEqual([source, literal]);
});

test.each([true, false])(
  "The first occurrence of a text is found, and nothing else (ignoring case: %p).",
  (ignoreCase) => {
    const bytes = new ScanBuffer();
    const letters = fc.string({ unit: fc.constantFrom(..."eExX: q@`[{Kk_".split("")), maxLength: 90 });
    const property = fc.property(letters, letters, letters, fc.nat(), (before, text, behind, from) => {
      fc.pre(text !== "");
      const alike = (of: string): string => (ignoreCase ? of.toLowerCase() : of);
      const all = before + (ignoreCase ? text.toUpperCase() : text) + behind;
      const start = from % (all.length + 1);
      bytes.buffer.write(`${all}${text}`, "latin1"); // bytes past the end are ignored
      const at = alike(all).indexOf(alike(text), start);
      expect(new ByteSearch(text, { ignoreCase }).find(bytes, start, all.length)).toBe(at < 0 ? all.length : at);
    });
    fc.assert(property, { numRuns: 2000 });
  },
);

test("Odd bytes are found, and nothing else.", () => {
  const bytes = new ScanBuffer();
  const isOdd = (byte: number, next: number | undefined): boolean =>
    byte === 13 ? next !== 10 : byte !== 9 && byte !== 10 && (byte < 32 || byte > 126);
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          { weight: 30, arbitrary: fc.integer({ min: 32, max: 126 }) },
          fc.constantFrom(9, 10, 13),
          fc.integer({ min: 0, max: 255 }),
        ),
        { maxLength: 200 },
      ),
      fc.nat(200),
      (values, a) => {
        const from = Math.min(a, values.length);
        bytes.buffer.set(values);
        const first = values.findIndex((byte, at) => at >= from && isOdd(byte, values[at + 1]));
        const found = bytes.find(from, values.length);
        if (first < 0) expect(found).toBe(values.length);
        else expect(found <= first && first < found + 32).toBe(true);
      },
    ),
    { numRuns: 1000 },
  );
});

/**
 * Regression: with `(\w+)+@|error` over 64 KiB that contain one long word, the engine gave up and
 * reported no match, so 500 of 1000 lines with an error were missing.
 */
test("A line on which the expression gives up is reported, and hides no other line.", () => {
  const word = `//${"abcdefghij_".repeat(8)}!\n`;
  const errors = Array.from({ length: 40 }, (_, number) => `step ${number}: error\n`);
  const text = [...errors.slice(0, 20), word, ...errors.slice(20)].join("");
  const at = text.indexOf(word);
  for (const channels of [["pty"], ["stdout", "stderr"]] as const) {
    const id = channels.join("-");
    const parts = text.split(/(?<=\n)/).map((line, number) => ({
      channel: channels[number % channels.length] ?? "pty",
      bytes: Buffer.from(line),
    }));
    write(state, id, parts, 64);
    using reader = TranscriptReader.open(state.layout, id);
    const options = { source: reader, channel: null, end: text.length };
    const scan = {
      lines: new RawLines(options),
      hasOneChannel: reader.hasOneChannel(),
      rawBytes: (into: Uint8Array, position: number) => reader.rawBytes(into, position),
    };
    const pattern = new LinePattern({ text: "(\\w+)+@|error", isRegex: true, ignoreCase: false });
    const range = { from: 0, to: text.length };
    const parted = [
      ...grep({ pattern, ...range, widest: range, before: 0, after: 0, lines: new TextLines(options), scan }),
    ];
    expect(parted.flatMap(({ found }) => found)).toHaveLength(errors.length);
    expect(parted.flatMap(({ unjudged }) => unjudged)).toEqual([at]);
  }
});
