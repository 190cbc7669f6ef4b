/**
 * Hostile configuration files are refused quickly and with a line: the daemon reads them while
 * calls wait.
 */
import { expect, test } from "bun:test";
import { parseConfig, type Problem } from "../../src/config/parse.ts";
import type { Format } from "../../src/config/config-file.ts";

function problem(text: string, format: Format): Pick<Problem, "line" | "message"> {
  const found = parseConfig(text, format);
  if (!("message" in found)) throw new Error("it is valid");
  return { line: found.line, message: found.message };
}

/**
 * `holt config check` of ten thousand brackets took half a minute, and blocked the daemon as long.
 */
test.each<[string, Format, string]>([
  ["open brackets", "json", "[".repeat(200_000)],
  ["brackets that are closed", "json", `\n{"a": ${"[".repeat(100_000)}${"]".repeat(100_000)}}`],
  ["braces", "json", '{"a":'.repeat(50_000)],
  ["lists of TOML", "toml", `\na = ${"[".repeat(100_000)}`],
  ["flows of YAML", "yaml", `\na: ${"{b: ".repeat(100_000)}`],
  ["items of YAML", "yaml", `a:\n  ${"- ".repeat(100_000)}x`],
])("%s without end are refused before they are parsed", (_title, format, text) => {
  const line = text.startsWith("\n") || format === "yaml" ? 2 : 1;
  expect(problem(text, format)).toEqual({ line, message: "nested more than 64 levels deep" });
});

test("brackets in strings and comments do not count", () => {
  const deep = "[".repeat(100);
  expect("root" in parseConfig(`a = "${deep}" # ${deep}\nb = '${deep}'`, "toml")).toBe(true);
  expect("root" in parseConfig(JSON.stringify({ a: `${deep}"${deep}` }), "json")).toBe(true);
});

/** Walking such a tree never ended. */
test("an alias to itself is refused with its line", () => {
  expect(problem("log:\n  level: info\npolicy: &p\n  allow: *p", "yaml")).toEqual({
    line: 4,
    message: "alias to itself: policy.allow",
  });
  expect("root" in parseConfig("a: &x {b: 1}\nc: *x\nd: *x", "yaml")).toBe(true);
});

/** The search for the line parsed every prefix of the file: quadratic time. */
test.each<[Format, (i: number) => string, string]>([
  ["json", (i) => `"k${i}": ${i},`, "{"],
  ["toml", (i) => `k${i} = ${i}`, ""],
  ["yaml", (i) => `k${i}: ${i}`, ""],
])("the bad line of a long %s file is found in few parses", (format, key, before) => {
  const keys = Array.from({ length: 2000 }, (_, i) => key(i));
  const at = (bad: number): string => [before, ...keys.toSpliced(bad, 0, "x: [}")].join("\n");
  for (const bad of [3, 1000, 1990]) expect(problem(at(bad), format).line).toBe(bad + 2);
});
