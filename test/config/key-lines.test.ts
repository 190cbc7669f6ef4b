/** Lines of keys in TOML, YAML and JSON. */
import { describe, expect, test } from "bun:test";
import { walkFlow } from "../../src/config/key-lines/flow.ts";
import { type KeyLocation, KeyLines } from "../../src/config/key-lines/key-lines.ts";
import { tomlKeys } from "../../src/config/key-lines/toml.ts";
import { yamlKeys } from "../../src/config/key-lines/yaml.ts";

/** Each key with its line, as `a.b: 3`. */
function lines(text: string, keys: KeyLocation[]): string[] {
  const found = new KeyLines(text, keys);
  return keys.map(({ path }) => `${path.join(".")}: ${found.lineOf(path)}`);
}

function jsonKeys(text: string): KeyLocation[] {
  const found: KeyLocation[] = [];
  walkFlow(text, 0, [], found);
  return found;
}

describe("The line of a key in TOML", () => {
  test.each([
    ["at the top", "a = 1\nb = 2", ["a: 1", "b: 2"]],
    ["in a table", "\n[p]\n# c\na = 1\n", ["p: 2", "p.a: 4"]],
    ["dotted, and of a dotted table", "p.a = 1\n[x.y]\nz.w = 2", ["p.a: 1", "x.y: 2", "x.y.z.w: 3"]],
    ["quoted", `"a b".'c' = 1\n["d"]\n"e\\"f" = 2`, ["a b.c: 1", "d: 2", `d.e"f: 3`]],
    ["after a list of several lines", 'a = [ # c ]\n  "x]", # y\n  "z",\n]\nb = 1', ["a: 1", "b: 5"]],
    ["after a text of several lines", 'a = """\nb = 1\n"quoted" \\"""\n"""\nc = 2', ["a: 1", "c: 5"]],
    ["after a literal text of several lines", "a = '''\n[t]\nb = 1'''\nc = 2", ["a: 1", "c: 4"]],
    [
      "in an inline table",
      "p = { a = 1, b.c = [1, 2],\n d = 'x' }\ne = 1",
      ["p: 1", "p.a: 1", "p.b.c: 1", "p.d: 2", "e: 3"],
    ],
    ["with a # in a text", 'a = "#" # b = 1\nc = 1', ["a: 1", "c: 2"]],
    ["of windows line ends", "a = 1\r\n\r\n[b]\r\nc = 2\r\n", ["a: 1", "b: 3", "b.c: 4"]],
  ])("%s", (_, text, expected) => {
    expect(Bun.TOML.parse(text)).toBeObject();
    expect(lines(text, tomlKeys(text))).toEqual(expected);
  });
});

describe("The line of a key in YAML", () => {
  test.each([
    ["nested", "a: 1\nb:\n  c: x\n  d: y\ne: z", ["a: 1", "b: 2", "b.c: 3", "b.d: 4", "e: 5"]],
    ["quoted", `"a: b": 1\n'it''s':\n  c: 2`, ["a: b: 1", "it's: 2", "it's.c: 3"]],
    ["after lists", "a:\n  - x\n  - y: z\nb: 1", ["a: 1", "b: 4"]],
    ["after lists that are not indented", "a:\n- x\n- y\nb: 1", ["a: 1", "b: 4"]],
    ["after a block of text", "a: |\n  b: 1\n\n  c: 2\nd: 3", ["a: 1", "d: 5"]],
    ["in braces", "p: {a: 1, 'b': [x, y],\n  c: d}\ne: 1", ["p: 1", "p.a: 1", "p.b: 1", "p.c: 2", "e: 3"]],
    ["with a colon in its value", "a: http://x:80/y # z: 1\nb: 1", ["a: 1", "b: 2"]],
    ["with comments and marks", "---\n# a: 0\na: 1 # b: 2\n", ["a: 3"]],
    ["of windows line ends", "a: 1\r\nb:\r\n  c: 2\r\n", ["a: 1", "b: 2", "b.c: 3"]],
  ])("%s", (_, text, expected) => {
    expect(Bun.YAML.parse(text)).toBeObject();
    expect(lines(text, yamlKeys(text))).toEqual(expected);
  });
});

describe("The line of a key in JSON", () => {
  test.each([
    ["nested", '{\n "a": 1,\n "b": {\n  "c": [1, {"x": 2}],\n  "d": "}"\n }\n}', ["a: 2", "b: 3", "b.c: 4", "b.d: 5"]],
    ["all on one line", '{"a":{"b":true},"c":null}', ["a: 1", "a.b: 1", "c: 1"]],
    ["with escapes", '{"a\\u0062":"\\"{",\n"c":-1.5e3}', ["ab: 1", "c: 2"]],
  ])("%s", (_, text, expected) => {
    expect(JSON.parse(text)).toBeObject();
    expect(lines(text, jsonKeys(text))).toEqual(expected);
  });
});

test("A missing key has the line of the table around it.", () => {
  const text = "a = 1\n[p]\nb = 2";
  const keyLines = new KeyLines(text, tomlKeys(text));
  expect(keyLines.lineOf(["p", "c"])).toBe(2);
  expect(keyLines.lineOf(["q"])).toBeNull();
});

test("The walk ends for arbitrary text.", () => {
  const soup = [
    "[[[",
    "= = =",
    '"',
    "a = [",
    "a = {",
    "{",
    "[1, {",
    "'''",
    'a = """',
    "a: [",
    "a: {b",
    "\0",
    "]",
    "}:,",
    "\u{1f600}",
  ];
  for (const text of soup.flatMap((one) => soup.map((other) => `${one}\n${other}`)))
    for (const findKeys of [tomlKeys, yamlKeys, jsonKeys]) expect(findKeys(text)).toBeArray();
});
