/** `holt __grep`: looks through transcripts on behalf of a process that must not be held up (client/read/text/grep-child.ts). */
import { answerGrepCall } from "../../../client/read/text/grep-child.ts";
import { dieWithParent } from "../../../platform/process/die-with-parent.ts";

export async function main(): Promise<number> {
  dieWithParent();
  await Bun.write(Bun.stdout, await answerGrepCall(await Bun.stdin.text()));
  return 0;
}
