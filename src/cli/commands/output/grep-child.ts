/**
 * `holt __grep`: searches transcripts in a child process, so that its parent is not blocked
 * (client/read/text/grep-child.ts).
 */
import { answerGrepCall } from "../../../client/read/text/grep-child.ts";
import { dieWithParent } from "../../../platform/process/die-with-parent.ts";

export async function main(): Promise<number> {
  dieWithParent();
  await Bun.write(Bun.stdout, await answerGrepCall(await Bun.stdin.text()));
  return 0;
}
