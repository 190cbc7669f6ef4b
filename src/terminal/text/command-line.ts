import { shellWord } from "../../protocol/types/shell-word.ts";

/** What acts on a terminal or on the text around it, or is not seen at all. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it is about
const UNSEEN = /[\x00-\x1f\x7f-\x9f\xad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;
const NAMED: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\x1b": "\\e" };

/** The command as one could type it into a shell, in one line. Whoever approves of it must see all of it: nothing in it acts, and nothing is left out. */
export function commandLine(argv: readonly string[]): string {
  return argv.map(seenWord).join(" ");
}

function seenWord(word: string): string {
  if (word.search(UNSEEN) === -1) return shellWord(word);
  const escaped = word.replace(/[\\']/g, "\\$&").replace(UNSEEN, (character) => NAMED[character] ?? spelled(character));
  return `$'${escaped}'`;
}

function spelled(character: string): string {
  const code = character.charCodeAt(0);
  return code < 0x80 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
}
