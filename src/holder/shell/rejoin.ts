/**
 * Integrates a shell again after `exec bash` replaced it: a line that is typed at its prompt before
 * the first command.
 */
import { readProc } from "../../platform/process/processes.ts";
import { bytesOf, textOf } from "../../protocol/types/bytes.ts";
import { shellWord } from "../../protocol/types/shell-word.ts";
import type { ShellName } from "../../protocol/types/shell-command.ts";
import { parseShellCommand } from "./parse-shell-command.ts";

export interface RejoinRequest {
  shell: ShellName;
  key: string;
  /** The directory to which launch.ts has written the scripts. */
  scripts: string;
  inbox: string;
  prompt: number;
  displayed: string;
}

/** The shell that the process runs, if it is an interactive one. */
export function shellOfProcess(pid: number): ShellName | null {
  const line = readProc(`/proc/${pid}/cmdline`);
  if (line === null || line === "") return null;
  return parseShellCommand(line.split("\0").slice(0, -1).map(bytesOf), textOf)?.shell ?? null;
}

/**
 * Changes with each exec: the addresses of the stack and the environment. Null if there is no such
 * process.
 */
export function processImage(pid: number): string | null {
  const stat = readProc(`/proc/${pid}/stat`);
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields === undefined ? null : `${fields[25]}/${fields[47]}`;
}

/** The content of the inbox. */
export function rejoinScript({ shell, key, scripts, inbox, prompt, displayed }: RejoinRequest): string {
  const show = `builtin printf '%s\\n' '${displayed}' 2>/dev/null >/dev/tty\n`;
  if (shell === "fish") {
    const set = { __HOLT_KEY: key, __HOLT_INBOX: fishWord(inbox), __HOLT_N: String(prompt) };
    const lines = Object.entries(set).map(([name, value]) => `set -g ${name} ${value}\n`);
    return `${show}${lines.join("")}source ${fishWord(`${scripts}/fish`)}\n`;
  }
  const set = `${show}__HOLT_KEY=${key}\n__HOLT_INBOX=${shellWord(inbox)}\n__HOLT_N=${prompt}\n`;
  if (shell === "zsh") return `${set}. ${shellWord(`${scripts}/zsh/.zshenv`)}\n`;
  // The shell has read its files; with an rc file set, the next prompt counts as the first.
  return `${set}__HOLT_RC=/dev/null\n__HOLT_EXPORTED=1\n. ${shellWord(`${scripts}/bash`)}\n`;
}

export function rejoinLine(shell: ShellName, inbox: string): string {
  return shell === "fish" ? ` source ${fishWord(inbox)}\r` : ` . ${shellWord(inbox)}\r`;
}

/** fish interprets a backslash between single quotes. */
export function fishWord(word: string): string {
  return `'${word.replace(/[\\']/g, "\\$&")}'`;
}
