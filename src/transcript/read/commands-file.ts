/**
 * commands.jsonl: commands of an integrated shell, written by its holder (holder/shell). Other
 * sessions have no such file. A command is two lines (begin, end), so a running command, or one
 * whose holder was lost, is included. Reading the newest commands costs the same for any file size.
 */
import { closeSync, writeSync } from "../../platform/fs/libc-fs.ts";
import { fileStat } from "../../platform/fs/stat.ts";
import { bytesOf, textOf } from "../../protocol/types/bytes.ts";
import { type ShellCommand, type ShellName, SHELLS } from "../../protocol/types/shell-command.ts";
import { readAt, readStart } from "./read-at.ts";
import type { SessionDir } from "../session-dir.ts";
import { amount, count, fields, flag, integer, nullable, oneOf, parseJson, text, time } from "../shape.ts";

const MAX_BYTES = 64 * 1024 * 1024;
const FIRST_LOOK_BYTES = 64 * 1024;
const HEAD_BYTES = 256;
const NEWLINE = 10;

const head = fields({ type: oneOf(["shell"]), shell: oneOf(SHELLS) });
const beginning = fields({
  type: oneOf<"begin">(["begin"]),
  at: time,
  prompt: count,
  command: nullable(text),
  cut: flag,
  cwd: nullable(text),
  by: oneOf<ShellCommand["by"]>(["exec", "typed"]),
  cursor: count,
});
const ending = fields({
  type: oneOf<"end">(["end"]),
  at: time,
  prompt: count,
  exit_code: nullable(integer),
  cwd: nullable(text),
  cursor: count,
  duration_ms: amount,
});

type Beginning = NonNullable<ReturnType<typeof beginning>>;
type Ending = NonNullable<ReturnType<typeof ending>>;
export type CommandLine = Beginning | Ending;

/**
 * Appends commands; used by the holder alone. It never throws: a lost line must not end a session.
 */
export class CommandLog implements Disposable {
  readonly #fd: number;
  #position = 0;
  #isOpen = true;

  constructor(dir: SessionDir, shell: ShellName) {
    this.#fd = dir.openArtifact("commands.jsonl", "create");
    this.#write({ type: "shell", shell });
  }

  append(line: CommandLine): void {
    this.#write(line);
  }

  [Symbol.dispose](): void {
    if (this.#isOpen) closeSync(this.#fd);
    this.#isOpen = false;
  }

  /** The offset moves past whole lines only: a torn line is overwritten by the next one. */
  #write(line: object): void {
    const bytes = bytesOf(`${JSON.stringify(line)}\n`);
    if (!this.#isOpen || this.#position + bytes.length > MAX_BYTES) return;
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#fd, bytes.subarray(at), this.#position + at);
      this.#position += bytes.length;
    } catch {
      // a later one may find room
    }
  }
}

export interface CommandList {
  /** Null: the session is not an integrated shell. */
  shell: ShellName | null;
  /** Oldest first. */
  commands: ShellCommand[];
}

/** The newest commands, up to the limit. */
export function readCommands(dir: SessionDir, limit: number): CommandList {
  const fd = dir.openIfThere("commands.jsonl", "read");
  if (fd === null) return { shell: null, commands: [] };
  try {
    const [first = ""] = textOf(readStart(fd, HEAD_BYTES)).split("\n", 1);
    const shell = parseJson(first, head)?.shell ?? null;
    const { size } = fileStat(fd);
    for (let length = FIRST_LOOK_BYTES; ; length *= 4) {
      const from = Math.max(0, size - length);
      const commands = commandsIn(fd, from, size);
      if (from === 0 || commands.length >= limit) return { shell, commands: limit === 0 ? [] : commands.slice(-limit) };
    }
  } finally {
    closeSync(fd);
  }
}

function commandsIn(fd: number, from: number, size: number): ShellCommand[] {
  const block = new Uint8Array(size - from);
  const filled = block.subarray(0, readAt(fd, block, from));
  // The block starts within a line, except at offset 0.
  const start = from === 0 ? 0 : filled.indexOf(NEWLINE) + 1;
  const lines = textOf(filled.subarray(start)).split("\n").slice(0, -1);
  const commands = new Map<number, ShellCommand>();
  for (const line of lines) {
    const begun = parseJson(line, beginning);
    if (begun !== null) commands.set(begun.prompt, begunCommand(begun));
    const ended = begun === null ? parseJson(line, ending) : null;
    const command = ended === null ? undefined : commands.get(ended.prompt);
    if (ended !== null && command !== undefined) commands.set(ended.prompt, { ...command, ...endedCommand(ended) });
  }
  return [...commands.values()];
}

function begunCommand({ prompt, command, cut, cwd, by, cursor, at }: Beginning): ShellCommand {
  return {
    number: prompt,
    command,
    command_cut: cut,
    by,
    cwd,
    started_at: at,
    ended_at: null,
    duration_ms: null,
    exit_code: null,
    output_start: cursor,
    output_end: null,
  };
}

function endedCommand({ at, exit_code, cursor, duration_ms }: Ending): Partial<ShellCommand> {
  return { ended_at: at, exit_code, output_end: cursor, duration_ms };
}
