import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { textOf } from "../../src/protocol/types/bytes.ts";
import { emulated, knownOf } from "./emulated.ts";
import { size, soup } from "./soup.ts";

const FIXTURES = join(import.meta.dir, "fixtures");
const SCREEN = { cols: 80, rows: 24 };
const programs = readdirSync(FIXTURES).map((file): [string, Buffer] => [file, readFileSync(join(FIXTURES, file))]);

test("a terminal rebuilt from a replay is the same, and stays the same whatever is written next", () => {
  fc.assert(
    fc.property(size, soup, soup, (screen, before, after) => {
      using original = emulated(screen, before);
      using rebuilt = emulated(screen, original.replay());
      expect(knownOf(rebuilt)).toEqual(knownOf(original));
      original.write(after);
      rebuilt.write(after);
      expect(knownOf(rebuilt)).toEqual(knownOf(original));
    }),
    { numRuns: 400 },
  );
});

test("a replay leaves nothing of what the terminal showed before", () => {
  fc.assert(
    fc.property(size, soup, soup, (screen, shown, other) => {
      using original = emulated(screen, shown);
      using rebuilt = emulated(screen, other, "\x1b\\\x1b[3J", original.replay({ scrollback: 0 }));
      const { title: _, ...expected } = original.screen();
      const { title: __, ...found } = rebuilt.screen();
      expect({ ...found, modes: null }).toEqual({ ...expected, modes: null });
    }),
    { numRuns: 100 },
  );
});

test("after a resize, what is rebuilt at that size is what is shown", () => {
  fc.assert(
    fc.property(size, size, soup, soup, (first, second, before, after) => {
      using original = emulated(first, before);
      original.resize(second.cols, second.rows);
      using rebuilt = emulated(second, original.replay());
      expect(knownOf(rebuilt)).toEqual(knownOf(original));
      original.write(after);
      rebuilt.write(after);
      expect(rebuilt.screen().lines).toEqual(original.screen().lines);
    }),
    { numRuns: 200 },
  );
});

test.each(programs)("%s is rebuilt at every moment of it", (_, bytes) => {
  for (let cut = 0; cut <= bytes.length; cut += 1 + (cut % 37)) {
    using original = emulated(SCREEN, bytes.subarray(0, cut));
    using rebuilt = emulated(SCREEN, original.replay(), bytes.subarray(cut));
    using whole = emulated(SCREEN, bytes);
    expect(knownOf(rebuilt)).toEqual(knownOf(whole));
  }
});

test.each(programs)("%s shows the same in any chunks", (_, bytes) => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 50 })), (lengths) => {
      using whole = emulated(SCREEN, bytes);
      expect(knownOf(emulated(SCREEN, ...chunksOf(bytes, lengths)))).toEqual(knownOf(whole));
    }),
    { numRuns: 20 },
  );
});

test("any chunking of anything gives the same terminal", () => {
  fc.assert(
    fc.property(size, soup, fc.array(fc.integer({ min: 1, max: 30 })), (screen, bytes, lengths) => {
      using whole = emulated(screen, bytes);
      using parts = emulated(screen, ...chunksOf(bytes, lengths));
      expect(knownOf(parts)).toEqual(knownOf(whole));
    }),
    { numRuns: 400 },
  );
});

test("a replay asks nothing of a terminal", () => {
  const query =
    /\x1b\[[?>=]?[0-9;]*[cn]|\x1b\[\??[0-9;]*\$p|\x1bP|\x1b\[\?u|\x1b\][^\x07\x1b]*;\?|\x1b\[1[3-9]t|\x1b\[2[01]t|\x1b\[>\d*q|\x05/;
  fc.assert(
    fc.property(size, soup, (screen, bytes) => {
      using emulator = emulated(screen, bytes);
      expect(textOf(emulator.replay({ unfinished: false }))).not.toMatch(query);
    }),
    { numRuns: 200 },
  );
});

function chunksOf(bytes: Uint8Array, lengths: number[]): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  let at = 0;
  for (const length of lengths) {
    chunks.push(bytes.subarray(at, at + length));
    at += length;
  }
  return [...chunks, bytes.subarray(at)];
}
