import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { losslessBytes, losslessText } from "../../src/platform/fs/lossless-text.ts";

test("any bytes come back, also through JSON", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      const text = JSON.parse(JSON.stringify(losslessText(bytes))) as string;
      expect([...losslessBytes(text)]).toEqual([...bytes]);
    }),
    { numRuns: 2000 },
  );
});

test("text is itself", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(losslessText(new TextEncoder().encode(text))).toBe(text.toWellFormed());
    }),
  );
});

test("bytes that would be a surrogate, or are cut short, or too long, are kept one by one", () => {
  for (const bytes of [
    [0xed, 0xb2, 0x80],
    [0xe2, 0x82],
    [0xc0, 0x80],
    [0xf4, 0x90, 0x80, 0x80],
    [0xef, 0xbf, 0xbd, 0xff],
  ])
    expect([...losslessBytes(losslessText(Uint8Array.from(bytes)))]).toEqual(bytes);
});
