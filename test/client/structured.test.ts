/** Output that is data is parsed as data; prose, logs and tables never are. */
import { describe, expect, test } from "bun:test";
import {
  array,
  assert,
  constantFrom,
  type Arbitrary,
  integer,
  jsonValue,
  oneof,
  property,
  record,
  string,
  tuple,
} from "fast-check";
import { MAX_STRUCTURED_BYTES, parseStructured } from "../../src/client/read/structured.ts";
import { size } from "../chaos/size.ts";
import { seed } from "../support/seed.ts";

const of = (text: string) => parseStructured(new TextEncoder().encode(text));

/**
 * `[a]`, 28 line ends and a `!` took 0.8 s, and each further line end doubled that. The daemon
 * checks output by itself, so one command that printed a header and blank lines blocked all its
 * callers. The test must finish.
 */
test.each([
  ["blank lines below a header", `[a]${"\n".repeat(100_000)}!`, null],
  ["blank lines below each header", `${`[a]${"\n".repeat(1000)}`.repeat(100)}!`, null],
  ["indented blank lines", `[a]\n${"  \t\n".repeat(100_000)}!`, null],
  ["comments", `[a]\n${"# x\n \n".repeat(100_000)}!`, null],
  ["headers", `${"[a]\n".repeat(100_000)}!`, null],
  ["blanks", `${" ".repeat(100_000)}\n`.repeat(10), null],
  ["line ends before the text", `${"\n".repeat(500_000)}!`, null],
  ["a table after many lines", `[a]${"\n".repeat(100_000)}b = 1\n`, { format: "toml", data: { a: { b: 1 } } }],
  ["a table with line ends of Windows", "[a]\r\n\r\n# x\r\nb = 1\r\n", { format: "toml", data: { a: { b: 1 } } }],
])("long output is looked at in linear time: %s", (_what, text, expected) => {
  expect(of(text)).toEqual(expected as ReturnType<typeof of>);
});

describe("Data", () => {
  test.each([
    ["an object", '{"a": [1, null, "x"]}\n', { format: "json", data: { a: [1, null, "x"] } }],
    ["an array over lines", "[\n  1,\n  2\n]\n", { format: "json", data: [1, 2] }],
    [
      "a long number in a text, and a large one",
      '["12345678901234567890", 1e300]',
      { format: "json", data: ["12345678901234567890", 1e300] },
    ],
    ["lines of objects", '{"a":1}\n{"a":2}\n', { format: "jsonl", data: [{ a: 1 }, { a: 2 }] }],
    ["lines of arrays, the last without an end", '[1]\n{"b":[]}', { format: "jsonl", data: [[1], { b: [] }] }],
    [
      "tables",
      '# x\ntitle = "t"\n[package]\nname = "holt"\nports = [1,\n 2]\n[[bin]]\nname = "x"\n',
      { format: "toml", data: { title: "t", package: { name: "holt", ports: [1, 2] }, bin: [{ name: "x" }] } },
    ],
    [
      "a manifest",
      'apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\n  labels:\n    app: web\nspec:\n  containers:\n  - name: a\n    image: b:1\n    args: ["-x", "y z"]\n  note: |\n    Any: text\n      at all\n  ready: all is well\n',
      {
        format: "yaml",
        data: {
          apiVersion: "v1",
          kind: "Pod",
          metadata: { name: "web", labels: { app: "web" } },
          spec: {
            containers: [{ name: "a", image: "b:1", args: ["-x", "y z"] }],
            note: "Any: text\n  at all\n",
            ready: "all is well",
          },
        },
      },
    ],
    [
      "a list of mappings",
      "- name: a\n  id: 1\n- name: b\n  id: 2\n",
      {
        format: "yaml",
        data: [
          { name: "a", id: 1 },
          { name: "b", id: 2 },
        ],
      },
    ],
    ["what says that it is YAML", "---\nTotal: 5 tests\n", { format: "yaml", data: { Total: "5 tests" } }],
  ] as const)("%s", (_what, text, expected) => {
    expect(of(text)).toEqual(expected as never);
  });

  test("any JSON object or array, however it is written, and as lines", () => {
    const value = jsonValue().filter((item) => typeof item === "object" && item !== null);
    assert(
      property(array(value, { minLength: 1, maxLength: 5 }), integer({ min: 0, max: 4 }), (values, indent) => {
        const [first] = values;
        expect(of(`${JSON.stringify(first, null, indent)}\n`)).toEqual({
          format: "json",
          data: JSON.parse(JSON.stringify(first)),
        });
        if (values.length > 1)
          expect(of(values.map((item) => `${JSON.stringify(item)}\n`).join(""))).toEqual({
            format: "jsonl",
            data: JSON.parse(JSON.stringify(values)),
          });
      }),
      { seed, numRuns: size(200, 5000) },
    );
  });

  test("nested mappings as programs write them come back exactly", () => {
    const key = constantFrom("name", "image", "app.kubernetes.io/name", "ports", "x-y", "_z");
    const scalar = oneof(
      integer(),
      constantFrom("web", "a b", "true", "2020-01-01", "x: y", "", "- no"),
      string({ maxLength: 8 }),
    );
    const inner = array(tuple(key, scalar), { minLength: 1, maxLength: 4 }).map((pairs) => new Map(pairs));
    assert(
      property(inner, inner, (first, second) => {
        const block = (pairs: Map<string, unknown>) =>
          [...pairs].map(([name, value]) => `  ${name}: ${JSON.stringify(value)}\n`).join("");
        expect(of(`spec:\n${block(first)}status:\n${block(second)}`)).toEqual({
          format: "yaml",
          data: { spec: Object.fromEntries(first), status: Object.fromEntries(second) },
        });
      }),
      { seed, numRuns: size(200, 5000) },
    );
  });
});

/**
 * Flat YAML, a YAML list and TOML without a table got `structured: null`: only nested YAML and TOML
 * with a table were detected. Prose, logs and `key: value` lines for people must still be text:
 * half of these are that.
 */
describe("Flat data", () => {
  test.each([
    ["a name and a number", "name: web\nport: 80\n", { name: "web", port: 80 }],
    ["a version", "name: holt\nversion: 1.2.3\n", { name: "holt", version: "1.2.3" }],
    ["a flag", "enabled: true\nmode: fast", { enabled: true, mode: "fast" }],
    ["nothing, said", "parent: null\nchild: ~\n", { parent: null, child: null }],
    [
      "texts in quotes",
      `title: "A page: of text"\nauthor: 'Somebody else'\n`,
      { title: "A page: of text", author: "Somebody else" },
    ],
    ["lists in brackets", "tags: [a, b]\nmap: {x: 1}\n", { tags: ["a", "b"], map: { x: 1 } }],
    [
      "a date and a path",
      "created: 2026-01-02T03:04:05Z\npath: /var/log\n",
      { created: "2026-01-02T03:04:05Z", path: "/var/log" },
    ],
    ["a comment", "# settings\nport: 80 # of the web\nhost: a.example\n", { port: 80, host: "a.example" }],
    ["keys of several kinds", "a-b: 1\nc.d: 2\n_e: 3\n", { "a-b": 1, "c.d": 2, _e: 3 }],
    ["an empty line", "a: 1\n\nb: -2.5\n", { a: 1, b: -2.5 }],
    ["words", "- a\n- b\n- c\n", ["a", "b", "c"]],
    ["numbers", "- 1\n- 2.5\n- 3\n", [1, 2.5, 3]],
    ["names of files", "- src/main.ts\n- README.md\n", ["src/main.ts", "README.md"]],
    ["sentences in quotes", '- "It is so."\n- "It is not."\n', ["It is so.", "It is not."]],
    ["mappings of one key", "- id: 1\n- id: 2\n", [{ id: 1 }, { id: 2 }]],
  ])("is YAML: %s", (_what, text, data) => {
    expect(of(text)).toEqual({ format: "yaml", data });
  });

  test.each([
    ["a text and a number", 'title = "x"\nport = 80\n', { title: "x", port: 80 }],
    ["with a comment", "# all\na = 1\n\nb = true # yes\n", { a: 1, b: true }],
    ["keys with dots", 'a.b = 1\na.c = "x"\n', { a: { b: 1, c: "x" } }],
    ["a list over lines", 'name = "x"\nports = [\n  1,\n  2,\n]\n', { name: "x", ports: [1, 2] }],
    ["a table in braces", 'name = "x"\nat = { x = 1, y = 2 }\n', { name: "x", at: { x: 1, y: 2 } }],
  ])("is TOML: %s", (_what, text, data) => {
    expect(of(text)).toEqual({ format: "toml", data });
  });

  test.each([
    ["one line", "word: word\n"],
    ["one line with a number", "port: 80\n"],
    ["one item", "- a\n"],
    ["one assignment", "x = 5\n"],
    ["words", "status: ok\nresult: done\n"],
    ["an error and its hint", "error: cannot open the file\nhint: give another path\n"],
    ["a text and a number of a line", "error: no such file\nline: 12\n"],
    ["the same key again", "warning: 1\nwarning: 2\n"],
    ["headings", "Name: holt\nVersion: 1.0\nInstalled: yes\n"],
    ["headers", "HTTP/1.1 200 OK\ncontent-length: 5\ncontent-type: text/html\n"],
    ["how long it took", "real: 0m1.2s\nuser: 0m0.3s\n"],
    ["sums of files", "a.txt: OK\nb.txt: FAILED\n"],
    ["what to buy", "- Milk\n- Bread\n"],
    ["what was done", "- fixed the build\n- added a test\n"],
    ["tasks", "- [x] done\n- [ ] open\n"],
    ["a sentence and data", "It listens now.\nport: 80\nhost: web\n"],
    ["lines of a log", "12:00:01 info: started\n12:00:02 info: port 80\n"],
    ["levels", "info: started\ninfo: ready\nwarn: slow\n"],
    ["variables of a shell", 'SHLVL=1\nNAME="x"\n'],
    ["the same without capitals", "a=1\nb=2\n"],
    ["words assigned", "a = one\nb = two\n"],
    ["an id that would become another one", "id = 12345678901234567890\nport = 1\n"],
  ])("is not: %s", (_what, text) => {
    expect(of(text)).toBeNull();
  });
});

/**
 * A tool printed a template of Helm's, `x: {{ y }}`. Its braces are a mapping whose key is a
 * mapping, which JSON cannot represent: the answer was {"[object Object]": null}.
 */
describe("Keys that are not text", () => {
  test.each([
    ["a template", "x: {{ y }}\nz: 1"],
    ["a template with blanks", "x: { { y } }\nz: 1"],
    ["a template in a list", "x:\n  - {{ y }}\n  - 2"],
    ["a template further in", "x: {a: '}', b: {{c}}}\nz: 1"],
    ["a mapping behind another key", "x: {a: 1, {b: 2}: 3}\nz: 1"],
    ["a list", "x: {[a, b]: 1}\nz: 1"],
    ["a number", "x: {1: a}\nz: 1"],
    ["a flag", "x: {a: 1, true: 2}\nz: 1"],
    ["nothing", "null: a\nz: 1"],
    ["a template in what says that it is YAML", "---\nx: {{ y }}\n"],
  ])("make no data: %s", (_what, text) => {
    expect(of(text)).toBeNull();
  });

  test("are distinguished from brackets in quotes and in text", () => {
    const text = 'a: "{{ y }}"\nb: {c: \'{{ d }}\', e: [[f], {g: 12:30}]}\nh: v{{i}}\nj: {1z2: x, "1": y}\n';
    expect(of(text)?.data).toEqual({
      a: "{{ y }}",
      b: { c: "{{ d }}", e: [["f"], { g: "12:30" }] },
      h: "v{{i}}",
      j: { "1z2": "x", "1": "y" },
    });
  });

  test("are searched in long lines within the test's time", () => {
    for (const beginning of ["{ ", "{", "x, ", '"\\"', "[1", "{    1"]) {
      of(`x: {${beginning.repeat(250_000 / beginning.length)}}\nz: 1`);
      of(`x: {${" ".repeat(250_000)}${beginning}}\nz: 1`);
    }
  });
});

describe("Text", () => {
  test.each([
    ["nothing", ""],
    ["a word", "done\n"],
    ["a number", "42\n"],
    ["numbers on lines", "1\n2\n3\n"],
    ["a word in quotes", '"done"\n'],
    ["half an object", '{"a": 1\n'],
    ["an object and a word", '{"a": 1}\ndone\n'],
    ["a word and an object", 'result:\n{"a": 1}\n'],
    ["an error", "Error: no such file\n"],
    ["an error with its stack", "Error: x\n    at f (a.js:1:2)\n    at g (b.js:3:4)\n"],
    ["headers", "Content-Type: text/html\nServer: x\n"],
    ["a list of sentences below a word", "changes:\n- fixed the build\n- added a test\n"],
    ["a heading and its items", "Failures:\n  test_a: expected 1\n"],
    ["help", "Commands:\n  build: Build it\n  test: Run the tests\n"],
    ["levels in brackets", "[INFO]\n[WARN] slow\n"],
    ["a level and an assignment", "[INFO] x = 5\n"],
    ["an INI file", "[core]\neditor = vim\n"],
    ["variables", "PATH=/bin\nHOME=/root\n"],
    ["an assignment", "total = 42\n"],
    ["progress", "[1/5] fetching\n[2/5] building\n"],
    ["a diff", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"],
    ["a table", "NAME   READY\nweb    1/1\n"],
    ["a page with a front matter", "---\ntitle: x\n---\n\nSome text.\n"],
    ["a time", "real: 0m1.2s\nuser: 0m0.3s\n"],
    ["what is no UTF-8 text of a format", "a:\n  b: \u0000\n"],
    ["anchors", "a: &x\n  b: 1\nc: *x\n"],
    ["numbers that JSON has not", "a:\n  b: .nan\n"],
    ["an integer that would become another one", '{"id": 12345678901234567890}'],
    ["a bomb", "a:\n  b: &a [x,x]\n  c: [*a,*a]\n"],
  ])("%s", (_what, text) => {
    expect(of(text)).toBeNull();
  });

  test("bytes that are not UTF-8, and output over the limit", () => {
    expect(parseStructured(Uint8Array.from([0x7b, 0xff, 0x7d]))).toBeNull();
    const long = `[${"1,".repeat(MAX_STRUCTURED_BYTES / 2)}1]`;
    expect(of(long)).toBeNull();
    expect(of(`${"[".repeat(5000)}${"]".repeat(5000)}`)).toBeNull();
  });

  const WORDS = constantFrom(
    ...'the build failed because of an error in file main.ts at line 12 while see note that it is 42 ok not - : = [x] {y} # --- INFO WARN: 10:31:02 key: a=b 100% done. https://x.y/z "so"'.split(
      " ",
    ),
  );
  const sentence = array(WORDS, { minLength: 2, maxLength: 12 }).map((words) => words.join(" "));
  const prose = array(sentence, { minLength: 1, maxLength: 12 }).map((lines) => `${lines.join("\n")}\n`);
  /**
   * A key, an item of one word, an assignment or a comment: below a heading, these alone are data.
   */
  const DATA = /^(?:#.*|\S+ = .*|(?:- )*(?:\S+|\S+: .*))$/;
  const readable = prose.filter((text) => text.split("\n").some((line) => !DATA.test(line) && line !== ""));
  const time = integer({ min: 0, max: 4e12 }).map((ms) => new Date(ms).toISOString());
  const log: Arbitrary<string> = array(
    record({
      time,
      level: constantFrom("INFO", "WARN", "[error]", "level=info"),
      text: sentence,
      indent: constantFrom("", "  ", "    "),
    }),
    { minLength: 1, maxLength: 12 },
  ).map((lines) => lines.map(({ time: at, level, text, indent }) => `${indent}${at} ${level} ${text}\n`).join(""));

  test.each([
    ["prose", prose],
    ["logs", log],
    [
      "headings and prose",
      tuple(constantFrom("Summary:", "Results:", "note:", "[build]"), readable).map(
        ([head, text]) => `${head}\n${text}`,
      ),
    ],
  ] as const)("any %s", (_what, text) => {
    assert(
      property(text, (printed) => {
        expect({ printed, found: of(printed) }).toEqual({ printed, found: null });
      }),
      { seed, numRuns: size(2000, 50_000) },
    );
  });
});
