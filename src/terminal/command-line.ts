import { oneLine } from "./one-line.ts";

/** The command as one could type it into a shell. */
export function commandLine(argv: readonly string[]): string {
  return oneLine(argv.map(shellWord).join(" "));
}

function shellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
