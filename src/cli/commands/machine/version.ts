/** `holt version`. Without options it loads no other module, to start fast. */
import { errnoOf } from "../../../protocol/types/errors.ts";
import { VERSION } from "../../../protocol/types/version.ts";

export async function main(args: string[]): Promise<number> {
  if (args.length > 0) return withArguments(args);
  try {
    await Bun.write(Bun.stdout, `${VERSION}\n`); // loading node:fs would take a fifth of the start time
    return 0;
  } catch (error) {
    return errnoOf(error) === "EPIPE" ? 141 : 1; // BROKEN_PIPE_EXIT of output.ts, which is not loaded here
  }
}

async function withArguments(args: string[]): Promise<number> {
  const [{ command }, { VERSION_COMMAND }, { writeJson, writeOut }] = await Promise.all([
    import("../../declarations/command.ts"),
    import("../../declarations/machine/version.ts"),
    import("../../output/output.ts"),
  ]);
  const answer = command(VERSION_COMMAND, ({ options }) => {
    if (options.json) writeJson({ version: VERSION }, { tty: false });
    else writeOut(`${VERSION}\n`);
    return 0;
  });
  return answer(args);
}
