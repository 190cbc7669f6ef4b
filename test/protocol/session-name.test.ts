import { expect, test } from "bun:test";
import { requireName } from "../../src/protocol/types/session-name.ts";

test.each(["web", "two words", "-x", "日本語", "👩‍💻", "עברית", "a".repeat(128)])("%j is a name", (name) => {
  expect(requireName(name)).toBe(name);
});

/** Bidirectional marks made a name look different in lists. */
test.each(["", " ", "\t", "a\nb", "\u202egnp.exe", "\u2066x", "\u200f", "a\u2028b", "\ud800", "a".repeat(129)])(
  "%j is none",
  (name) => {
    expect(() => requireName(name)).toThrow("invalid name");
  },
);
