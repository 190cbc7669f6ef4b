import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { HoltError } from "../../src/protocol/types/errors.ts";
import { DEFAULT_DETACH_KEYS, DetachMatcher, parseDetachKeys } from "../../src/terminal/keys/detach-keys.ts";
import { chunksOf, cuts } from "../support/streams.ts";

function typed(chunks: readonly Uint8Array[], keys = DEFAULT_DETACH_KEYS) {
  const matcher = new DetachMatcher(parseDetachKeys(keys));
  let pass = "";
  for (const chunk of chunks) {
    const result = matcher.push(chunk);
    pass += Buffer.from(result.pass).toString("latin1");
    if (result.detached) return { pass, detached: true };
  }
  return { pass: pass + Buffer.from(matcher.flush()).toString("latin1"), detached: false };
}
const of = (text: string, keys?: string) => typed([Buffer.from(text, "latin1")], keys);

test("the keys detach, and what came before them is typed", () => {
  expect(of("ls\r\x1cd")).toEqual({ pass: "ls\r", detached: true });
  expect(of("ls\x10\x11", "ctrl-p,ctrl-q")).toEqual({ pass: "ls", detached: true });
  expect(of("a\x1d", "ctrl-]")).toEqual({ pass: "a", detached: true });
  expect(of("ab\x01x", "ctrl-a d")).toEqual({ pass: "ab\x01x", detached: false });
  expect(of("\x1bOP\x1b[24~", "f1 f12")).toEqual({ pass: "", detached: true });
  expect(of("\x1bOA", "up")).toEqual({ pass: "", detached: true });
  expect(of("\x1bd", "alt-d")).toEqual({ pass: "", detached: true });
});

test("the first key twice is typed once; with anything else both are typed", () => {
  expect(of("\x1c\x1cd")).toEqual({ pass: "\x1cd", detached: false });
  expect(of("\x1cx\x1cd")).toEqual({ pass: "\x1cx", detached: true });
  expect(of("\x1c\x1b[A")).toEqual({ pass: "\x1c\x1b[A", detached: false });
  expect(of("\x01\x02\x01\x02\x03", "ctrl-a ctrl-b ctrl-c")).toEqual({ pass: "\x01\x02", detached: true });
});

test("the first key alone is held, and typed at the end of input", () => {
  const matcher = new DetachMatcher(parseDetachKeys(DEFAULT_DETACH_KEYS));
  expect(matcher.push(Buffer.from("a\x1c"))).toEqual({ pass: new Uint8Array(Buffer.from("a")), detached: false });
  expect(Buffer.from(matcher.flush()).toString()).toBe("\x1c");
});

test("Escape is never held back", () => {
  const matcher = new DetachMatcher(parseDetachKeys(DEFAULT_DETACH_KEYS));
  expect(Buffer.from(matcher.push(Buffer.from("\x1b")).pass).toString()).toBe("\x1b");
  expect(Buffer.from(matcher.push(Buffer.from("[")).pass).toString()).toBe("[");
});

test("a paste that contains the keys is a paste, wherever it is cut", () => {
  const paste = Buffer.from("\x1b[200~a\x1cd\x1b[201b\x1cd\x1b[201~");
  fc.assert(
    fc.property(cuts, (places) => {
      expect(typed(chunksOf(paste, places))).toEqual({ pass: paste.toString("latin1"), detached: false });
      expect(typed(chunksOf(Buffer.concat([paste, Buffer.from("\x1cd")]), places))).toEqual({
        pass: paste.toString("latin1"),
        detached: true,
      });
    }),
  );
});

test("the keys are recognised in the encodings that programs switch on", () => {
  expect(of("\x1b[92;5ud")).toEqual({ pass: "", detached: true });
  expect(of("\x1b[92;5u\x1b[92;5:3u\x1b[100;1:1u")).toEqual({ pass: "", detached: true });
  expect(of("\x1b[92;69u\x1b[100u")).toEqual({ pass: "", detached: true });
  expect(of("\x1b[27;5;92~d")).toEqual({ pass: "", detached: true });
  expect(of("\x1b[57442;5u\x1b[92;5u\x1b[57442;1:3u\x1b[100;;100u")).toEqual({ pass: "\x1b[57442;5u", detached: true });
  expect(of("\x1b[92;5u\x1b[92;5ud")).toEqual({ pass: "\x1b[92;5ud", detached: false });
  expect(of("\x1b[92;5u\x1b[120u")).toEqual({ pass: "\x1b[92;5u\x1b[120u", detached: false });
});

test("any chunking types the same and detaches alike", () => {
  const pieces = fc.constantFrom("\x1c", "d", "x", "\x1c\x1c", "é", "\x03", "\x1b[200~", "\x1b[201~", "\x1bx");
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), cuts, (parts, places) => {
      const bytes = Buffer.from(parts.join(""));
      expect(typed(chunksOf(bytes, places))).toEqual(typed([bytes]));
    }),
    { numRuns: 2000 },
  );
});

test("without the keys all input passes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), cuts, (bytes, places) => {
      fc.pre(!bytes.includes(0x1c));
      expect(typed(chunksOf(bytes, places))).toEqual({ pass: Buffer.from(bytes).toString("latin1"), detached: false });
    }),
    { numRuns: 1000 },
  );
});

test("keys that cannot be matched in input are refused", () => {
  for (const text of ["", " ", "ctrl-p,", "é", "nokey d", "ctrl-p,,ctrl-q"]) {
    expect(() => parseDetachKeys(text)).toThrow(HoltError);
  }
  // The hint was once about sending text with --text.
  expect(() => parseDetachKeys("foo")).toThrow('invalid detach keys: "foo": unknown key: "foo"');
});
