import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { FreshOutput } from "../../src/holder/socket/live-source.ts";
import type { Channel } from "../../src/protocol/types/session.ts";

const CHANNELS = ["pty", "stderr"] as const satisfies readonly Channel[];
const additions = fc.array(
  fc.record({ channel: fc.constantFrom(...CHANNELS), length: fc.integer({ min: 1, max: 70_000 }) }),
  { maxLength: 12 },
);

test("from any cursor on, what was added comes back byte for byte, each with its own channel", () => {
  fc.assert(
    fc.property(additions, fc.nat(1_000_000), fc.double({ min: 0, max: 1, noNaN: true }), (added, start, where) => {
      const fresh = new FreshOutput();
      const expected: { channel: Channel; byte: number }[] = [];
      for (const { channel, length } of added) {
        const bytes = Uint8Array.from({ length }, (_, i) => (expected.length + i * 7) % 251);
        fresh.add(start + expected.length, channel, 1, bytes);
        bytes.forEach((byte) => expected.push({ channel, byte }));
      }
      let cursor = start + Math.floor(where * expected.length);
      for (let piece = fresh.from(cursor); piece !== null; piece = fresh.from(cursor)) {
        expect(piece.offset).toBe(cursor);
        const part = expected.slice(cursor - start, cursor - start + piece.bytes.length);
        expect(part.every(({ channel }) => channel === piece.channel)).toBe(true);
        expect(
          Bun.deepEquals(
            Array.from(piece.bytes),
            part.map(({ byte }) => byte),
          ),
        ).toBe(true);
        cursor += piece.bytes.length;
      }
      expect(cursor).toBe(start + expected.length);
    }),
    { numRuns: 30 },
  );
});

test("a reader that is behind is not served out of order", () => {
  const fresh = new FreshOutput();
  fresh.add(100, "pty", 1, Uint8Array.of(1, 2, 3));
  expect(fresh.from(99)).toBeNull();
  expect(fresh.from(103)).toBeNull();
  fresh.clear();
  expect(fresh.from(100)).toBeNull();
});
