/** What the router does not know: nothing at all, a question about holt itself, or a slip of the finger. */
import { HoltError } from "../../../protocol/types/errors.ts";
import { COMMANDS } from "../../declarations/commands.ts";
import { nearest } from "../../../protocol/methods/nearest.ts";
import { reportError } from "../../output/report-error.ts";

/** What other programs call it. */
const ELSEWHERE: Record<string, string> = {
  list: "it is `holt ls`",
  ps: "it is `holt ls`",
  "new-session": "it is `holt start -- COMMAND`",
  "send-keys": "it is `holt send ID --keys KEYS`, or `--text TEXT`",
  "capture-pane": "it is `holt screen ID`",
  "kill-session": "it is `holt stop ID`, or `holt kill ID` at once",
  tail: "it is `holt logs -f ID`",
  cat: "it is `holt logs ID`",
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
    near === null ? "`holt help` lists them" : `did you mean \`holt ${near}\`? \`holt help\` lists them all`;
  const hint = (Object.hasOwn(ELSEWHERE, word) ? ELSEWHERE[word] : undefined) ?? guess;
  return reportError(new HoltError("EBADARGS", `unknown ${what} "${word}"`, { hint }), {
    json: rest.includes("--json"),
  });
}
