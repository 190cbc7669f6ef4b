/** Parsing of command lines, and the declarations of all commands. */
import { describe, expect, test } from "bun:test";
import { parseArguments, wantsJson } from "../../src/cli/declarations/arguments.ts";
import { COMMANDS } from "../../src/cli/declarations/commands.ts";
import type { Declaration } from "../../src/cli/declarations/declaration.ts";
import { SEND } from "../../src/cli/declarations/output/send.ts";
import { HoltError } from "../../src/protocol/types/errors.ts";

const SAMPLE = {
  name: "sample",
  summary: "a command to try things on",
  usage: ["holt sample FILE... [--all]"],
  examples: [],
  options: [
    { name: "all", short: "a", summary: "everything" },
    { name: "follow", short: "f", summary: "go on" },
    { name: "tail", short: "n", value: "N", kind: "count", summary: "the last N" },
    { name: "most", value: "N", kind: "count", counts: "bytes", summary: "no more than that" },
    { name: "name", value: "NAME", summary: "a name" },
    { name: "view", value: "VIEW", choices: ["raw", "text"], summary: "how" },
  ],
  positionals: { name: "FILE", least: 1, most: 2 },
} as const satisfies Declaration;

const WRAPPER = {
  ...SAMPLE,
  positionals: { name: "COMMAND", least: 1, most: Number.POSITIVE_INFINITY, endsOptions: true },
} as const;

function refusal(args: string[], declaration: Declaration = SAMPLE): { message: string; hint: string | null } {
  try {
    parseArguments(declaration, args);
  } catch (error) {
    if (!(error instanceof HoltError)) throw error;
    expect(error.code).toBe("EBADARGS");
    return { message: error.message, hint: error.hint };
  }
  throw new Error("nothing was refused");
}

describe("Options", () => {
  test("A value is the next word or follows an equals sign; flags may be grouped.", () => {
    const expected = { all: true, follow: true, tail: 5, most: null, name: "web", view: null, help: false };
    for (const args of [
      ["--all", "--follow", "--tail", "5", "--name", "web", "x"],
      ["x", "-af", "--tail=5", "--name=web"],
      ["-afn5", "--name", "web", "x"],
      ["-a", "-f", "-n", "5", "--name=web", "x"],
      ["-fan=5", "--name=web", "x"],
    ]) {
      const { options, positionals, help } = parseArguments(SAMPLE, args);
      expect({ options, positionals, help }).toEqual({ options: expected, positionals: ["x"], help: false } as never);
    }
  });

  test("An absent flag is false, an absent value null.", () => {
    expect(parseArguments(SAMPLE, ["x"]).options).toEqual({
      all: false,
      follow: false,
      tail: null,
      most: null,
      name: null,
      view: null,
      help: false,
    } as never);
  });

  test("The last of several values wins; after an equals sign a value may be empty or start with a dash.", () => {
    expect(parseArguments(SAMPLE, ["--name=a", "--name=b", "x"]).options.name).toBe("b");
    expect(parseArguments(SAMPLE, ["--name=", "x"]).options.name).toBe("");
    expect(parseArguments(SAMPLE, ["--name=--x", "x"]).options.name).toBe("--x");
    expect(parseArguments(SAMPLE, ["--name", "-", "x"]).options.name).toBe("-");
  });

  test("Two dashes end the options.", () => {
    expect(parseArguments(SAMPLE, ["--", "--all", "-x"]).positionals).toEqual(["--all", "-x"]);
  });

  test("Options after the wrapped command belong to that command.", () => {
    expect(parseArguments(WRAPPER, ["--all", "ls", "-l", "--", "--tail"])).toMatchObject({
      options: { all: true },
      positionals: ["ls", "-l", "--", "--tail"],
    });
    expect(parseArguments(WRAPPER, ["--", "-l", "--help"])).toMatchObject({
      help: false,
      positionals: ["-l", "--help"],
    });
  });

  test("--help works even if required arguments are missing.", () => {
    expect(parseArguments(SAMPLE, ["--help"]).help).toBe(true);
    expect(parseArguments(SAMPLE, ["-ah", "--nonsense"]).help).toBe(true);
  });
});

describe("Usage errors name the problem and give a hint", () => {
  test.each<[string[], string, string | null]>([
    [["--al", "x"], "unknown option: --al", "did you mean --all? see `holt help sample`"],
    [["--flolow", "x"], "unknown option: --flolow", "did you mean --follow? see `holt help sample`"],
    [["--zzzzzz", "x"], "unknown option: --zzzzzz", "see `holt help sample`"],
    [["-z", "x"], "unknown option: -z", "see `holt help sample`"],
    [["--all=yes", "x"], "--all takes no value", "see `holt help sample`"],
    [["x", "--tail"], "missing value: --tail N", "see `holt help sample`"],
    [["x", "--tail", "--all"], "missing value: --tail N", "see `holt help sample`"],
    [["x", "--tail", "few"], 'invalid --tail: "few"', "use a whole number; see `holt help sample`"],
    [["x", "--tail", "-1"], 'invalid --tail: "-1"', "use a whole number; see `holt help sample`"],
    [["x", "-n", "-5m"], 'invalid --tail: "-5m"', "use a whole number; see `holt help sample`"],
    [["x", "--most", "1k"], 'invalid --most: "1k"', "use a whole number of bytes; see `holt help sample`"],
    [["x", "--tail=-1"], 'invalid --tail: "-1"', "use a whole number; see `holt help sample`"],
    [
      ["x", "--tail=99999999999999999999"],
      'invalid --tail: "99999999999999999999"',
      "use a whole number; see `holt help sample`",
    ],
    [["x", "--view", "nice"], 'invalid --view: "nice"', "use one of raw, text; see `holt help sample`"],
    [[], "missing argument: FILE", "usage: holt sample FILE... [--all]"],
    [["a", "b", "c"], 'unexpected argument: "c"', "see `holt help sample`"],
  ])("%j", (args, message, hint) => {
    expect(refusal(args)).toEqual({ message, hint });
  });

  test("`holt send ID TEXT` is refused with the right command.", () => {
    const help = "see `holt help send`";
    expect(refusal(["sh1", "ls"], SEND).hint).toBe(`use --text ls --enter; ${help}`);
    expect(refusal(["sh1", "echo", "it's"], SEND)).toEqual({
      message: 'unexpected argument: "echo"',
      hint: `use --text 'echo it'\\''s' --enter; ${help}`,
    });
  });
});

describe("The declarations", () => {
  test("No command declares a name or a letter twice, and each has an example.", () => {
    for (const { name, options, examples, usage } of COMMANDS) {
      const spelled = options.flatMap((option) =>
        "short" in option && option.short ? [option.name, option.short] : [option.name],
      );
      expect({ name, twice: spelled.filter((word, index) => spelled.indexOf(word) !== index) }).toEqual({
        name,
        twice: [],
      });
      expect(spelled).not.toContain("help");
      expect(spelled).not.toContain("h");
      expect(examples.length).toBeGreaterThan(0);
      expect(usage[0]).toStartWith(`holt ${name}`);
    }
  });

  test("The parser accepts the examples of every command.", () => {
    for (const declaration of COMMANDS) {
      for (const [line] of declaration.examples) {
        const words =
          line
            .split(/ [|<>] /)[0]
            ?.replace("$(holt ls -q --state exited)", "x")
            .split(" ") ?? [];
        if (words[0] !== "holt" || words[1] !== declaration.name) continue;
        expect(() => parseArguments(declaration, words.slice(2))).not.toThrow();
      }
    }
  });
});

test("Errors are printed as JSON if --json is among the options, not after two dashes.", () => {
  expect(wantsJson(["--json", "x"])).toBe(true);
  expect(wantsJson(["x", "--", "--json"])).toBe(false);
});
