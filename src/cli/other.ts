/** What the router does not know: nothing at all, a question about holt itself, or a slip of the finger. */
import { HoltError } from "../protocol/errors.ts";
import { COMMANDS } from "./commands.ts";
import { nearest } from "./nearest.ts";
import { reportError } from "./report-error.ts";

export async function main([word, ...rest]: string[]): Promise<number> {
  if (word === undefined) return (await import("./overview.ts")).main([]);
  if (word === "--help" || word === "-h") return (await import("./help.ts")).main(rest);
  if (word === "--version" || word === "-V" || word === "-v") return (await import("./version.ts")).main(rest);
  const what = word.startsWith("-") ? "option" : "command";
  const near = nearest(
    word,
    COMMANDS.map(({ name }) => name),
  );
  const hint = near === null ? "`holt help` lists them" : `did you mean \`holt ${near}\`? \`holt help\` lists them all`;
  return reportError(new HoltError("EBADARGS", `unknown ${what} "${word}"`, { hint }), {
    json: rest.includes("--json"),
  });
}
