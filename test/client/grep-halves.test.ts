/** Two searches of one half each find the same as one search of the whole. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import * as fc from "fast-check";
import { grepPage, type GrepOptions } from "../../src/client/read/text/grep-page.ts";
import { grepInHalves } from "../../src/client/read/text/grep-request.ts";
import { TranscriptReader } from "../../src/transcript/read/reader.ts";
import { anyParts, lengthOf, write } from "../rendering/transcripts.ts";
import { StateDir } from "./sessions.ts";

let state: StateDir;
beforeAll(() => {
  state = new StateDir();
});
afterAll(() => state[Symbol.dispose]());

test("Both find the same, with the same lines around it, also around the middle.", async () => {
  const cases = fc.record({
    all: anyParts,
    record: fc.integer({ min: 1, max: 40 }),
    text: fc.constantFrom("error", "a|o", "%", "ok"),
    before: fc.nat(3),
    after: fc.nat(3),
    maxMatches: fc.constantFrom(1, 3, 1000),
  });
  await fc.assert(
    fc.asyncProperty(cases, async ({ all, record, text, before, after, maxMatches }) => {
      write(state, "x", all, record);
      using reader = TranscriptReader.open(state.layout, "x");
      const range = { from: 0, to: lengthOf(all) };
      const spec = { text, isRegex: true, ignoreCase: false };
      const bounds = { channel: null, end: range.to, maxMatches, maxBytes: 1024 * 1024 };
      const options: GrepOptions = { spec, before, after, ...bounds, ...range, widest: range };
      const grep = (part: GrepOptions) => grepPage(reader, part, async () => {});
      const [whole, halves] = [await grep(options), await grepInHalves(options, grep)];
      const ends = ({ found }: typeof whole): number[] => found.map(({ end }) => end);
      expect({ ends: ends(halves), left: halves.resumeCursor }).toEqual({
        ends: ends(whole),
        left: whole.resumeCursor,
      });
    }),
    { numRuns: 300 },
  );
});
