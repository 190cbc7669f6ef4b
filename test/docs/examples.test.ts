/** Commands in README and docs are commands that holt has, with options that it knows; the quick start runs. */
import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { parseArguments } from "../../src/cli/declarations/arguments.ts";
import { COMMANDS } from "../../src/cli/declarations/commands.ts";
import { optionsOf } from "../../src/cli/declarations/declaration.ts";
import { Bench, HOLT } from "../support/holt.ts";
import { blocksOf, PAGES, ROOT } from "./pages.ts";

/** Reports of what was: their commands may be gone. */
const HISTORY = /^(CHANGELOG\.md|docs\/adr\/)/;
const WORD = /'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\]/;
const WORDS = new RegExp(`(?:${WORD.source})+`, "g");

/** The words behind `holt` in each command of a line of shell. */
function callsIn(line: string): string[][] {
  return line
    .replace(/('[^']*')|\s#\s.*$/g, (_, quoted: string | undefined) => quoted ?? "")
    .split(/\$\(|`|(?:\|\||&&|[|;()])(?=(?:[^']*'[^']*')*[^']*$)/)
    .map((part) => part.trim().match(WORDS) ?? [])
    .map((words) => words.slice(words.findIndex((word) => !/^\w+=/.test(word))))
    .filter(([first = ""]) => /^(\.\/|.*\/bin\/)?holt$/.test(first))
    .map((words) => words.slice(1, words.findIndex((word) => /^\d?[<>]/.test(word)) + 1 || undefined))
    .map((words) => words.filter((word) => !/^\d?[<>]/.test(word)).map((word) => word.replace(/["'\\]/g, "")));
}

function wrongCall([name = "", ...args]: readonly string[]): string | null {
  const declaration = COMMANDS.find((command) => command.name === name);
  if (declaration === undefined) return `holt ${name}: no such command`;
  try {
    parseArguments(declaration, args);
    return null;
  } catch (error) {
    return `holt ${[name, ...args].join(" ")}: ${(error as Error).message}`;
  }
}

/** As it is named in a sentence: `holt start --limit`, without the rest. */
function wrongMention(text: string): string | null {
  const [, name = "", ...words] = text.split(/\s+/);
  if (!/^[a-z]/.test(name)) return null;
  const declaration = COMMANDS.find((command) => command.name === name);
  if (declaration === undefined) return `${text}: no such command`;
  const end = words.indexOf("--");
  const unknown = words
    .slice(0, end < 0 ? words.length : end)
    .flatMap((word) => /^--([a-z][a-z-]*)/.exec(word)?.[1] ?? [])
    .filter((option) => !optionsOf(declaration).some(({ name: known }) => known === option));
  return unknown.length === 0 ? null : `${text}: no option --${unknown[0]}`;
}

function wrongIn(text: string): string[] {
  const lines = [
    ...blocksOf(text, ["console"])
      .flatMap((block) => block.match(/^\$ .*/gm) ?? [])
      .map((line) => line.slice(2)),
    ...blocksOf(text, ["sh"]).flatMap((block) => block.split("\n")),
  ];
  const mentions = Array.from(
    text.replace(/^```[^]*?^```$/gm, "").matchAll(/`(holt [^`]+)`/g),
    ([, span = ""]) => span,
  );
  return [...lines.flatMap(callsIn).map(wrongCall), ...mentions.map(wrongMention)].filter((wrong) => wrong !== null);
}

for (const page of PAGES.filter((path) => !HISTORY.test(path))) {
  test(`${page} names commands and options that exist.`, () => {
    expect(wrongIn(readFileSync(join(ROOT, page), "utf8"))).toEqual([]);
  });
}

test("A command or option that does not exist is noticed.", () => {
  const block = [
    "```console",
    "$ X=1 holt strat -- ls | cat",
    "$ cat $(holt start --nam web -- ls --all)",
    "$ ls",
    "```",
    "",
  ];
  const wrong = wrongIn(`${block.join("\n")}Use \`holt stop --wait\`, \`holt frob\` or \`holt ls --all\`.\n`);
  expect(wrong.map((text) => text.replace(/:.*/, ""))).toEqual([
    "holt strat",
    "holt start --nam web -- ls --all",
    "holt stop --wait",
    "holt frob",
  ]);
});

const README = readFileSync(join(ROOT, "README.md"), "utf8");

test("The first commands of README's quick start print what stands there.", async () => {
  using bench = Bench.withDaemon();
  const shown = README.slice(README.indexOf("## Quick start"));
  await expectShown(bench, blocksOf(shown, ["console"])[0] ?? "", bench.root);
});

test("README's configuration is checked and shown as it stands there.", async () => {
  using bench = Bench.withDaemon();
  const [first = ""] = blocksOf(README.slice(README.indexOf("## Configuration")), ["console"]);
  const file = /config\.toml\n([^]*?)^\$ /m.exec(first)?.[1] ?? "";
  mkdirSync(join(bench.root, ".config/holt"), { recursive: true });
  await Bun.write(join(bench.root, ".config/holt/config.toml"), file);
  await expectShown(bench, first.replaceAll("/home/me", bench.root), bench.root);
});

async function expectShown(bench: Bench, block: string, home: string): Promise<void> {
  mkdirSync(join(home, "bin"), { recursive: true });
  symlinkSync(HOLT, join(home, "bin/holt"));
  const { XDG_CONFIG_HOME: _, ...env } = bench.env;
  const script = (block.match(/^\$ .*/gm) ?? []).map((line) => line.slice(2)).join("\n");
  const run = Bun.spawn(["bash", "-c", `exec 2>&1\n${script}`], {
    cwd: home,
    env: { ...env, HOME: home, PATH: `${home}/bin:${env["PATH"]}` },
    stdin: "ignore",
    stdout: "pipe",
  });
  const shown = block.replace(/^\$ .*\n/gm, "");
  expect(await new Response(run.stdout).text()).toBe(shown);
}
