/** The command lines that start an interactive shell, and those that do not. */
import { expect, test } from "bun:test";
import { bytesOf, textOf } from "../../src/protocol/types/bytes.ts";
import { parseShellCommand } from "../../src/holder/shell/parse-shell-command.ts";

const words = (line: string) => {
  const found = parseShellCommand(line.split(" ").map(bytesOf), textOf);
  if (found === null) return null;
  const { shell, kept, startup } = found;
  const named = typeof startup === "object" ? textOf(startup.rcfile) : startup;
  return [shell, named, ...kept.map(textOf)].join(" ");
};

test.each([
  ["bash", "bash usual"],
  ["/bin/bash -i", "bash usual -i"],
  ["bash --norc", "bash none --norc"],
  ["bash -l", "bash login -l"],
  ["bash --login -i", "bash login --login -i"],
  ["bash --rcfile mine -i", "bash mine -i"],
  ["bash -o vi -O extglob -eu", "bash usual -o vi -O extglob -eu"],
  ["zsh", "zsh usual"],
  ["zsh -f", "zsh none"],
  ["zsh -il", "zsh usual -il"],
  ["/usr/bin/fish -l", "fish usual -l"],
  ["fish --no-config", "fish usual --no-config"],
])("%s is an interactive shell: %s", (line, expected) => {
  expect(words(line)).toBe(expected);
});

test.each([
  "sh",
  "dash",
  "bashful",
  "bash -c ls",
  "bash script.sh",
  "bash -s",
  "bash -",
  "bash --posix",
  "bash -o posix",
  "bash --noediting",
  "bash -r",
  "bash --rcfile",
  "bash --version",
  "zsh -c ls",
  "zsh script",
  "zsh -o",
  "fish -c ls",
  "fish script.fish",
])("%s is left alone", (line) => {
  expect(words(line)).toBeNull();
});
