import { shellWord } from "../protocol/shell-word.ts";
import { oneLine } from "./one-line.ts";

/** The command as one could type it into a shell. */
export function commandLine(argv: readonly string[]): string {
  return oneLine(argv.map(shellWord).join(" "));
}
