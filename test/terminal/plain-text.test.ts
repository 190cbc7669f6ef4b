import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { PlainText } from "../../src/terminal/text/plain-text.ts";

const all = (...chunks: Uint8Array[]): string => {
  const text = new PlainText();
  return chunks.map((chunk) => text.push(chunk)).join("");
};

test("escape sequences and controls are left out, newlines and tabs stay, and nothing is redrawn", () => {
  const bytes = Buffer.from("\x1b[1;31mred\x1b[0m\ta\r10%\r20%\n\x1b]0;title\x07b\x08c\x1b[2Jö\x7f");
  expect(all(bytes)).toBe("red\ta10%20%\nbcö");
});

test("any chunking gives the same text", () => {
  const bytes = fc.array(fc.constantFrom(...Buffer.from("ab \n\t\r\x1b[]0;m\x07\xc3\xb6\xff")), { maxLength: 60 });
  fc.assert(
    fc.property(bytes, fc.nat(60), (list, cut) => {
      const whole = Uint8Array.from(list);
      expect(all(whole.subarray(0, cut), whole.subarray(cut))).toBe(all(whole));
    }),
  );
});
