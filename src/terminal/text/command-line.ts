/** Formats a command as one safe line that a user can read and type. */
import { shellWord } from "../../protocol/types/shell-word.ts";

/** Characters that control a terminal, change the text around them or are invisible. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it is about
const INVISIBLE = /[\x00-\x1f\x7f-\x9f\xad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;
const NAMED: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\x1b": "\\e" };

/**
 * The command as a shell would accept it, in one line. The user approves it by this text: nothing
 * in it acts on the terminal, and nothing is left out.
 */
export function commandLine(argv: readonly string[]): string {
  return argv.map(visibleWord).join(" ");
}

function visibleWord(word: string): string {
  if (word.search(INVISIBLE) === -1) return shellWord(word);
  const escaped = word
    .replace(/[\\']/g, "\\$&")
    .replace(INVISIBLE, (character) => NAMED[character] ?? spelled(character));
  return `$'${escaped}'`;
}

function spelled(character: string): string {
  const code = character.charCodeAt(0);
  return code < 0x80 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
}
