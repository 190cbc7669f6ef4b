/** The table by which an echo is shown without a look at it: whatever it lets pass, the viewers' filter lets pass as it is. */
import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { RULES_BYTES } from "../../src/platform/relay-page.ts";
import { plainEchoRules } from "../../src/terminal/plain-echo.ts";
import { ViewerFilter } from "../../src/terminal/viewer-filter.ts";
import { streams } from "../support/streams.ts";

const RULES = plainEchoRules();

/** As the machine code walks it. */
function isPlain(bytes: Uint8Array): boolean {
  let state = 0;
  for (const byte of bytes) state = RULES[state * 256 + byte] ?? -1;
  return state === 0;
}
const plain = (text: string): boolean => isPlain(Buffer.from(text));

/** What a filter in the middle of nothing makes of it, and that it is in the middle of nothing then. */
function expectToPass(bytes: Uint8Array): void {
  const filter = new ViewerFilter({ clipboard: false });
  expect(Buffer.from(filter.push(bytes)).toString("hex")).toBe(Buffer.from(bytes).toString("hex"));
  expect({ held: filter.heldBytes, isGround: filter.isGround }).toEqual({ held: 0, isGround: true });
}

const ECHOES = {
  "a letter": "a",
  "a line": "hello, world\r\n",
  "an erased letter": "\b \b",
  "readline's erasing": "\b\x1b[K",
  "a tab and a bell": "\t\x07",
  "beyond ASCII": "é ß 漢字 👩‍👩‍👧 \u00a0",
  colours: "\x1b[1;38;5;208mls\x1b[0m\x1b[38:2::1:2:3mx\x1b[m",
  "the cursor": "\x1b[12;40H\x1b[A\x1b[2D\x1b7\x1b8",
  "what zsh prints": "\x1b[?1l\x1b>\x1b[?2004l\x1b[?25h\x1b[J\x1b[0J\x1b[2J",
  "an alternate screen": "\x1b[?1049h\x1b(B\x1b[m\x1b[?12l\x1b[?25h",
};

test.each(Object.entries(ECHOES))("%s is plain", (_, text) => {
  expect(plain(text)).toBe(true);
  expectToPass(Buffer.from(text));
});

test.each([
  ["a question", "\x1b[c"],
  ["a question in the middle", "a\x1b[6nb"],
  ["what a person's terminal has kept", "\x1b[3J"],
  ["several to be erased", "\x1b[0;3J"],
  ["reports that are asked for", "\x1b[?2031h"],
  ["among others", "\x1b[?25;2048h"],
  ["a string", "\x1b]0;title\x07"],
  ["a C1 control", "\u009b6n"],
  ["ENQ", "\x05"],
  ["a sequence that is not over", "a\x1b[3"],
  ["an ESC at the end", "a\x1b"],
  ["leaving UTF-8", "\x1b%@"],
])("%s is not", (_, text) => {
  expect(plain(text)).toBe(false);
});

test("half a character is not plain", () => {
  for (const bytes of [[0xc3], [0xe6, 0xbc], [0xf0, 0x9f, 0x91], [0xc2]])
    expect(isPlain(Uint8Array.from(bytes))).toBe(false);
});

test("whatever is plain passes the filter as it is, and leaves it as it was", () => {
  fc.assert(
    fc.property(streams, (bytes) => {
      if (isPlain(bytes)) expectToPass(bytes);
    }),
    { numRuns: 2000 },
  );
  const character = fc.constantFrom(
    "a",
    "é",
    "\b",
    "\x1b",
    "[",
    "?",
    ";",
    "0",
    "2",
    "25",
    "3",
    "J",
    "h",
    "l",
    "m",
    "(",
    "B",
    "c",
  );
  fc.assert(
    fc.property(fc.array(character, { maxLength: 8 }), (parts) => {
      const bytes = Buffer.from(parts.join(""));
      if (isPlain(bytes)) expectToPass(bytes);
    }),
    { numRuns: 20_000 },
  );
});

test("every sequence of three bytes after an introducer that is plain passes", () => {
  for (const head of ["\x1b", "\x1b[", "\x1b[?", "\x1b[2", "\x1b[?2", "\x1b("])
    for (let first = 0; first < 256; first++)
      for (let second = 0; second < 256; second++) {
        const bytes = Uint8Array.from([...Buffer.from(head), first, second]);
        if (isPlain(bytes)) expectToPass(bytes);
      }
});

test("it fits where it is used, and knows no state that it does not have", () => {
  expect(RULES.length).toBeLessThanOrEqual(RULES_BYTES);
  expect(RULES.length % 256).toBe(0);
  for (const next of RULES) expect(next).toBeLessThan(RULES.length / 256);
});
