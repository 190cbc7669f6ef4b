import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { WriteQueue } from "../../src/platform/sockets/write-queue.ts";

describe("The write queue", () => {
  test("writes all bytes once and in order, however few are accepted at a time, and counts them", () => {
    const sizes = fc.oneof(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 100_000 }));
    fc.assert(
      fc.property(
        fc.array(sizes, { maxLength: 30 }),
        fc.array(fc.integer({ min: -1, max: 70_000 })),
        (lengths, takes) => {
          const taken: number[] = [];
          let turn = 0;
          const unsent = new WriteQueue((bytes) => {
            const take = Math.min(bytes.length, takes[turn++] ?? bytes.length);
            for (const byte of bytes.subarray(0, Math.max(0, take))) taken.push(byte);
            return take;
          });
          const all: number[] = [];
          for (const [at, length] of lengths.entries()) {
            const bytes = Uint8Array.from({ length }, (_, i) => (at * 31 + i) & 255);
            for (const byte of bytes) all.push(byte);
            const ownership = at % 2 === 0 ? "lent" : "given";
            expect(unsent.send(bytes, ownership)).toBe(unsent.length === 0);
            if (ownership === "lent") bytes.fill(0);
            expect(unsent.length).toBe(all.length - taken.length);
            if (at % 3 === 0) expect(unsent.drain()).toBe(unsent.length === 0);
          }
          while (!unsent.drain());
          expect(Buffer.from(taken).equals(Buffer.from(all))).toBe(true);
        },
      ),
      { numRuns: 100 },
    );
  });
});
