/** Parses the command line of an interactive shell that can be integrated. */
import { type ShellName, SHELLS } from "../../protocol/types/shell-command.ts";

export interface ShellCommandLine {
  shell: ShellName;
  /** Arguments that are passed on unchanged. */
  kept: Uint8Array[];
  /**
   * The files that the shell reads at its start: its usual ones, none, those of a login shell, or
   * another file instead of ~/.bashrc.
   */
  startup: "usual" | "none" | "login" | { rcfile: Uint8Array };
}

/**
 * Options of bash without an argument that do not matter here. --posix, --noediting and -r matter;
 * -c and -s run something else.
 */
const BASH_FLAG = /^(?:-[abefhikmpuvxBCEHPT]+|\+[abefhkmpuvxBCEHPT]+|--(?:verbose|noprofile))$/;
const ZSH_FLAG = /^(?:[-+][0-9a-eg-km-rt-zA-Z]+|--interactive|--no-globalrcs|--globalrcs)$/;
const FISH_FLAG = /^(?:-[ilPN]+|--(?:interactive|login|private|no-config))$/;

/** Null if the command is no such shell. */
export function parseShellCommand(
  argv: readonly Uint8Array[],
  textOf: (bytes: Uint8Array) => string,
): ShellCommandLine | null {
  const [name = "", ...words] = argv.map(textOf);
  const shell = SHELLS.find((known) => name === known || name.endsWith(`/${known}`));
  if (shell === undefined) return null;
  const raw = argv.slice(1);
  if (shell === "bash") return bashWords(words, raw);
  if (shell === "zsh") return zshWords(words, raw);
  return words.every((word) => FISH_FLAG.test(word)) ? { shell, kept: raw, startup: "usual" } : null;
}

function bashWords(words: readonly string[], raw: readonly Uint8Array[]): ShellCommandLine | null {
  const kept: Uint8Array[] = [];
  let startup: ShellCommandLine["startup"] = "usual";
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    const [own, next] = [raw[at], raw[at + 1]];
    if (own === undefined) return null;
    if (word === "--rcfile" || word === "--init-file") {
      if (next === undefined) return null;
      if (startup === "usual") startup = { rcfile: next };
      at++;
    } else if (/^[-+][oO]$/.test(word)) {
      if (next === undefined || words[at + 1] === "posix") return null;
      kept.push(own, next);
      at++;
    } else {
      if (word === "--norc") startup = "none";
      else if (word === "--login" || word === "-l" || word === "-il" || word === "-li") startup = "login";
      else if (!BASH_FLAG.test(word)) return null;
      kept.push(own);
    }
  }
  return { shell: "bash", kept, startup };
}

function zshWords(words: readonly string[], raw: readonly Uint8Array[]): ShellCommandLine | null {
  const kept: Uint8Array[] = [];
  let startup: ShellCommandLine["startup"] = "usual";
  for (const [at, word] of words.entries()) {
    const own = raw[at];
    if (own === undefined) return null;
    if (word === "-f" || word === "--no-rcs") startup = "none";
    else if (word === "-l" || word === "--login" || word === "-il" || word === "-li") kept.push(own);
    // -o takes an argument; -c and -s run something else.
    else if (ZSH_FLAG.test(word) && !/^[-+].*[ocs]/.test(word)) kept.push(own);
    else return null;
  }
  return { shell: "zsh", kept, startup };
}
