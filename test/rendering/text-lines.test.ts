/** Tests that lines are the same wherever reading begins. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import * as fc from "fast-check";
import type { Channel } from "../../src/protocol/types/session.ts";
import { type TextLine, TextLines } from "../../src/rendering/grep/text-lines.ts";
import { TranscriptReader } from "../../src/transcript/read/reader.ts";
import { StateDir } from "../client/sessions.ts";
import { anyParts, lengthOf, naiveLines, type Part, write } from "./transcripts.ts";

let state: StateDir;
beforeAll(() => {
  state = new StateDir();
});
afterAll(() => state[Symbol.dispose]());

const blocks = fc.constantFrom(64, 100, 256, 100_000);
const records = fc.integer({ min: 1, max: 40 });
const channels = fc.constantFrom<Channel | null>(null, null, "stderr", "stdout");

interface Case {
  all: Part[];
  block: number;
  record: number;
  channel: Channel | null;
}

const cases: fc.Arbitrary<Case> = fc.record({ all: anyParts, block: blocks, record: records, channel: channels });

function withLines({ all, block, record, channel }: Case, look: (lines: TextLines, naive: TextLine[]) => void): void {
  write(state, "x", all, record);
  using reader = TranscriptReader.open(state.layout, "x");
  look(new TextLines({ source: reader, channel, end: lengthOf(all), block }), naiveLines(all, block, channel));
}

function withoutParts(lines: readonly TextLine[]): TextLine[] {
  return lines.map(({ parts: _parts, ...line }) => line);
}

test("A range holds the lines that end in it.", () => {
  fc.assert(
    fc.property(cases, fc.nat(), fc.nat(), (made, a, b) => {
      withLines(made, (lines, naive) => {
        const [from = 0, to = 0] = [a % (lines.end + 1), b % (lines.end + 1)].toSorted((x, y) => x - y);
        const expected = naive.filter(({ end }) => end > from && end <= to);
        expect(withoutParts([...lines.between(from, to)].flat())).toEqual(expected);
      });
    }),
    { numRuns: 400 },
  );
});

test("Backwards reads return the same lines.", () => {
  fc.assert(
    fc.property(cases, fc.nat(), (made, a) => {
      withLines(made, (lines, naive) => {
        const from = a % (lines.end + 1);
        const found = [...lines.backwards(from, lines.end)].toReversed().flat();
        expect(withoutParts(found)).toEqual(naive.filter(({ end }) => end > from));
      });
    }),
    { numRuns: 200 },
  );
});
