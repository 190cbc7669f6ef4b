import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { terminalSource } from "../../src/rendering/transcript-source.ts";

const STREAM = Uint8Array.from({ length: 64 }, (_, at) => at);

/** Pieces of one shared buffer or of separate buffers. */
const pieces = fc.array(
  fc.record({
    length: fc.integer({ min: 1, max: 9 }),
    channel: fc.constantFrom("pty" as const, "pty" as const, "pty" as const, "stderr" as const),
    isAlone: fc.boolean(),
    gap: fc.constantFrom(0, 0, 0, 0, 2),
  }),
  { maxLength: 5 },
);

test("A run of terminal bytes is joined, wherever its pieces lie in memory.", () => {
  fc.assert(
    fc.property(pieces, (shapes) => {
      let offset = 0;
      const all = shapes.map(({ length, channel, isAlone, gap }) => {
        offset += gap;
        const bytes = STREAM.subarray(offset, offset + length);
        const piece = { channel, offset, bytes: isAlone ? bytes.slice() : bytes };
        offset += length;
        return piece;
      });
      const source = terminalSource((cursor) => all.filter((piece) => piece.offset >= cursor));
      const first = all.findIndex(({ channel }) => channel === "pty");
      const found = source.next(0, 64);
      if (first < 0) return expect(found).toBeNull();
      const start = all[first]?.offset ?? 0;
      let end = start;
      for (const { channel, offset: at, bytes } of all.slice(first)) {
        if (channel !== "pty" || at !== end) break;
        end += bytes.length;
      }
      expect(found?.cursor).toBe(start);
      expect([...(found?.bytes ?? [])]).toEqual([...STREAM.subarray(start, end)]);
    }),
  );
});
