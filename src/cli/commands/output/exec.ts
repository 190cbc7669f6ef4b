/** `holt exec`. */
import { mayHaveRun } from "../../../client/holder/holder-call.ts";
import { LocalSessions } from "../../../client/sessions/local-sessions.ts";
import { execInShell, type ShellExecResult } from "../../../client/sessions/shell-exec.ts";
import { readStored } from "../../../client/read/read-stored.ts";
import { losslessBytes } from "../../../platform/fs/lossless-text.ts";
import { losslessArguments } from "../../../platform/process/raw-arguments.ts";
import { textOf } from "../../../protocol/types/bytes.ts";
import { OnlcrDecoder, decodeOnlcr } from "../../../protocol/wire/onlcr.ts";
import type { ShellName } from "../../../protocol/types/shell-command.ts";
import { shellWord } from "../../../protocol/types/shell-word.ts";
import type { Parsed } from "../../declarations/arguments.ts";
import { command, type Main } from "../../declarations/command.ts";
import { EXEC } from "../../declarations/output/exec.ts";
import { durationOf } from "../../options/durations.ts";
import { BrokenPipe, writeErr, writeJson, writeOut } from "../../output/output.ts";
import { EXIT_FAILURE, reportError } from "../../output/report-error.ts";
import { ownExitCode } from "./waiting.ts";
import { endInWords, label } from "../../output/describe-session.ts";
import { stdoutStyle } from "../../output/style.ts";

const TIMED_OUT = 124;
/** holt failed before the command was given to the shell. */
const HOLT_FAILED = 125;
const SHELL_REPLACED = 3;
/** Without --timeout, waits for one day at most. */
const LONGEST_MS = 24 * 3600 * 1000;
const JSON_BYTES = 64 * 1024 * 1024;

/**
 * Parses lossless text, which can be turned back into the original bytes: file names need not be
 * UTF-8.
 */
export const main: Main = (args) => exec([...losslessArguments(args)]);

const exec = command(EXEC, async (parsed) => {
  try {
    return await run(parsed);
  } catch (error) {
    const [reference = ""] = parsed.positionals;
    const code = reportError(error, { json: parsed.options.json, reference: shellWord(reference) });
    return error instanceof BrokenPipe || mayHaveRun(error) ? code : HOLT_FAILED;
  }
});

async function run({ options, positionals: [reference = "", ...rest] }: Parsed<typeof EXEC>): Promise<number> {
  const sessions = new LocalSessions();
  const { session_id: id } = sessions.resolve(reference);
  const timeoutMs = Math.min(durationOf("timeout", options.timeout) ?? LONGEST_MS, LONGEST_MS);
  const outcome = await execInShell(sessions, id, {
    command: losslessBytes(commandFrom(rest, () => sessions.commands(id, 0).shell)),
    timeoutMs,
    maxBytes: options.json ? JSON_BYTES : 0,
    takeover: options.takeover,
    signal: new AbortController().signal,
  });
  if (options.json) writeJson(inJson(outcome), stdoutStyle());
  else {
    print(sessions, id, outcome, options.raw);
    writeErr(outcomeNote(outcome));
  }
  if (outcome.outcome !== "session_ended") return exitCodeFor(outcome);
  const session = sessions.get(id);
  if (session.signal !== null) writeErr(`holt: ${label(session)} ${endInWords(session)}\n`);
  return ownExitCode(session);
}

/** One word is a command line; several are a command with its arguments, which are quoted here. */
function commandFrom(rest: readonly string[], shell: () => ShellName | null): string {
  const words = rest[0] === "--" ? rest.slice(1) : rest;
  if (words.length === 1) return words[0] ?? "";
  const quoted = shell() === "fish" ? fishWord : shellWord;
  return words.map(quoted).join(" ");
}

/** fish interprets backslashes inside single quotes. */
function fishWord(word: string): string {
  return `'${word.replace(/[\\']/g, "\\$&")}'`;
}

function print(sessions: LocalSessions, id: string, { output_start, output_end }: ShellExecResult, raw: boolean): void {
  using reader = sessions.reader(id);
  const added = new OnlcrDecoder();
  for (const item of readStored(reader, output_start, output_end)) {
    if (item.type === "gap") break;
    writeOut(raw ? item.bytes : added.push(item.bytes));
    if (item.cursor + item.bytes.length >= output_end) break;
  }
  if (!raw) writeOut(added.end());
}

function inJson({ bytes, output_start, output_end, next_cursor, ...executed }: ShellExecResult): object {
  return {
    ...executed,
    text: textOf(decodeOnlcr(bytes)),
    data: bytes.toBase64(),
    output_start: String(output_start),
    output_end: String(output_end),
    next_cursor: String(next_cursor),
  };
}

function outcomeNote({ outcome, output_end }: ShellExecResult): string {
  if (outcome === "running")
    return `holt: the timeout expired; the command keeps running, its output continues at cursor ${output_end}\n`;
  return outcome === "replaced"
    ? "holt: the shell was replaced by another program; if that is a shell, the next `holt exec` runs in it\n"
    : "";
}

function exitCodeFor({ outcome, exit_code }: ShellExecResult): number {
  if (outcome === "running") return TIMED_OUT;
  return outcome === "replaced" ? SHELL_REPLACED : (exit_code ?? EXIT_FAILURE);
}
