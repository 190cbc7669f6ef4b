import { afterEach, beforeEach, expect, test } from "bun:test";
import { appendFileSync, readFileSync, truncateSync } from "node:fs";
import { CommandLog, readCommands } from "../../src/transcript/read/commands-file.ts";
import { SessionDir } from "../../src/transcript/session-dir.ts";
import { Scratch } from "./scratch.ts";

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch();
});
afterEach(() => scratch[Symbol.dispose]());

const AT = "2026-11-16T00:00:00.000Z";
const begin = (prompt: number, command: string) =>
  ({ type: "begin", at: AT, prompt, command, cut: false, cwd: "/", by: "exec", cursor: prompt * 10 }) as const;
const end = (prompt: number) =>
  ({ type: "end", at: AT, prompt, exit_code: 0, cwd: "/", cursor: prompt * 10 + 5, duration_ms: 1.5 }) as const;

function filled(count: number, text = "x"): SessionDir {
  const dir = SessionDir.create(scratch.layout, "s");
  using log = new CommandLog(dir, "zsh");
  for (let prompt = 1; prompt <= count; prompt++) {
    log.append(begin(prompt, `${text} ${prompt}`));
    log.append(end(prompt));
  }
  return dir;
}

test("a session without a shell has none", () => {
  using dir = SessionDir.create(scratch.layout, "s");
  expect(readCommands(dir, 10)).toEqual({ shell: null, commands: [] });
});

test("what has ended and what runs are told, in their order", () => {
  using dir = filled(2);
  appendFileSync(scratch.path("s", "commands.jsonl"), `${JSON.stringify(begin(3, "runs"))}\n`);
  const { shell, commands } = readCommands(dir, 10);
  expect(shell).toBe("zsh");
  expect(commands.map(({ number, command, output_end }) => [number, command, output_end])).toEqual([
    [1, "x 1", 15],
    [2, "x 2", 25],
    [3, "runs", null],
  ]);
});

test("the newest are found from the end, also where the lines are long", () => {
  using dir = filled(2000, "y".repeat(3000));
  expect(readCommands(dir, 3).commands.map(({ number }) => number)).toEqual([1998, 1999, 2000]);
  expect(readCommands(dir, 1000).commands).toHaveLength(1000);
  expect(readCommands(dir, 0)).toEqual({ shell: "zsh", commands: [] });
});

test("a line that was cut off or spoilt is passed over", () => {
  using dir = filled(3);
  const path = scratch.path("s", "commands.jsonl");
  truncateSync(path, readFileSync(path).length - 10);
  expect(readCommands(dir, 10).commands.at(-1)).toMatchObject({ number: 3, ended_at: null });
  appendFileSync(path, "\nnonsense\n{}\n");
  expect(readCommands(dir, 10).commands).toHaveLength(3);
});
