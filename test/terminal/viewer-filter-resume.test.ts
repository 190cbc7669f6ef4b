/** A filter that resumes where another held back must pass what that one would have passed. */
import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { ViewerFilter } from "../../src/terminal/filter/viewer-filter.ts";

const PIECES = [
  "text",
  "é€",
  "\x1b[31m",
  "\x1b[6n",
  "\x1b]52;c;c3RvbGVu\x07",
  "\x1bP$qm\x1b\\",
  "\x1b]1337;File=:eA==\x1b\\",
  "\r\n",
  "\x05",
];

test("a resumed filter passes the same bytes, wherever the output is cut", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }), fc.nat(), (pieces, at) => {
      const bytes = Buffer.from(pieces.join(""));
      const cut = bytes.length === 0 ? 0 : at % (bytes.length + 1);
      const whole = new ViewerFilter({ clipboard: false }).push(bytes);
      const before = new ViewerFilter({ clipboard: false });
      const first = before.push(bytes.subarray(0, cut));
      const rest = new ViewerFilter({ clipboard: false }).push(bytes.subarray(cut - before.heldBytes));
      expect(Buffer.concat([first, rest]).toString("latin1")).toBe(Buffer.from(whole).toString("latin1"));
    }),
    { numRuns: 3000 },
  );
});
