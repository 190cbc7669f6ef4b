/** Handles command lines without a known command: none at all, `--help`, `--version`, or a typo. */
import { HoltError } from "../../../protocol/types/errors.ts";
import { COMMANDS } from "../../declarations/commands.ts";
import { nearest } from "../../../protocol/methods/nearest.ts";
import { reportError } from "../../output/report-error.ts";

/** Hints for commands of other programs. */
const FOREIGN_COMMANDS: Record<string, string> = {
  list: "use `holt ls`",
  ps: "use `holt ls`",
  "new-session": "use `holt start -- COMMAND`",
  "send-keys": "use `holt send ID --keys KEYS` or `--text TEXT`",
  "capture-pane": "use `holt screen ID`",
  "kill-session": "use `holt stop ID`, or `holt kill ID` to end it at once",
  tail: "use `holt logs -f ID`",
  cat: "use `holt logs ID`",
};

export async function main([word, ...rest]: string[]): Promise<number> {
  if (word === undefined) return (await import("./overview.ts")).main([]);
  if (word === "--help" || word === "-h") return (await import("./help.ts")).main(rest);
  if (word === "--version" || word === "-V" || word === "-v") return (await import("./version.ts")).main(rest);
  const what = word.startsWith("-") ? "option" : "command";
  const near = nearest(
    word,
    COMMANDS.map(({ name }) => name),
  );
  const guess =
    near === null
      ? "`holt help` lists all commands"
      : `did you mean \`holt ${near}\`? \`holt help\` lists all commands`;
  const hint = (Object.hasOwn(FOREIGN_COMMANDS, word) ? FOREIGN_COMMANDS[word] : undefined) ?? guess;
  return reportError(new HoltError("EBADARGS", `unknown ${what}: "${word}"`, { hint }), {
    json: rest.includes("--json"),
  });
}
