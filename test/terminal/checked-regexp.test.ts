/** Tests that a match, no match and giving up are distinguished. */
import { expect, test } from "bun:test";
import { LinePattern } from "../../src/terminal/text/line-pattern.ts";
import { CheckedRegExp } from "../../src/terminal/text/checked-regexp.ts";

const TOO_MUCH = `${"a".repeat(60)}!`;

/** Regression: JavaScriptCore returns null for both, so that giving up was taken for no match. */
test("No match differs from giving up.", () => {
  for (const flags of ["u", "gm"]) {
    const pattern = new CheckedRegExp("(a+)+b|c", flags);
    expect(pattern.find(TOO_MUCH, 0)).toBe("gave up");
    expect(pattern.find("xyz", 0)).toBeNull();
    expect(pattern.find("xyz\nxyc\n", 0)).toEqual({ at: 6, match: "c" });
    expect(pattern.find("caab", 1)).toEqual({ at: 1, match: "aab" });
    expect(pattern.find("caab", 4)).toBeNull();
  }
});

test("Matches at the end and empty matches are found.", () => {
  expect(new CheckedRegExp("(?:x+)*$", "u").find("ab", 0)).toEqual({ at: 2, match: "" });
  expect(new CheckedRegExp("(?:x+)*$", "u").find("", 0)).toEqual({ at: 0, match: "" });
  expect(new CheckedRegExp("(?:x+)+$", "u").find("", 0)).toBeNull();
});

test("Group numbers are those of the expression.", () => {
  expect(new CheckedRegExp("(?<q>['\"])(\\w*)\\k<q>\\2", "u").find("x 'ab'ab", 0)).toEqual({ at: 2, match: "'ab'ab" });
  for (const source of ["(a+)\\2", "a+)|(b", "(?<a>x)+(?<a>y)"]) expect(() => new CheckedRegExp(source, "u")).toThrow();
});

test("A line on which the engine gives up is never a match or a non-match, however often it is tested.", () => {
  const pattern = new LinePattern({ text: "(a+)+b|!x", isRegex: true, ignoreCase: false });
  expect([pattern.matches(TOO_MUCH), pattern.matches(TOO_MUCH)]).toEqual([null, null]);
  expect([pattern.matches("aab"), pattern.matches("aa"), pattern.matches("!x")]).toEqual([true, false, true]);
});
