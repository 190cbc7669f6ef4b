import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { joined } from "../../src/protocol/types/bytes.ts";
import { OnlcrDecoder, decodeOnlcr } from "../../src/protocol/wire/onlcr.ts";

/** The output of a terminal with ONLCR. */
const sent = (bytes: Uint8Array): Uint8Array =>
  Uint8Array.from([...bytes].flatMap((byte) => (byte === 0x0a ? [0x0d, 0x0a] : [byte])));
const lines = fc.array(fc.constantFrom(0x0a, 0x0d, 0x61), { maxLength: 30 }).map((bytes) => Uint8Array.from(bytes));

test("exactly the added returns are removed, for any output in any chunks", () => {
  fc.assert(
    fc.property(lines, fc.array(fc.nat({ max: 60 })), (printed, cuts) => {
      const whole = sent(printed);
      expect(decodeOnlcr(whole)).toEqual(printed);
      const places = [0, ...cuts.map((cut) => Math.min(cut, whole.length)).toSorted((a, b) => a - b), whole.length];
      const added = new OnlcrDecoder();
      const pieces = places.slice(1).map((to, i) => added.push(whole.subarray(places[i], to)));
      expect(joined([...pieces, added.end()])).toEqual(printed);
    }),
  );
});
