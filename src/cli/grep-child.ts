/** `holt __grep`: looks through a part of a transcript on behalf of a process that must not be held up (client/reading/grep-elsewhere.ts). */
import { answerGrep, type GrepQuestion } from "../client/reading/grep-elsewhere.ts";
import { dieWithParent } from "../platform/die-with-parent.ts";

export async function main(): Promise<number> {
  dieWithParent();
  const found = await answerGrep((await Bun.stdin.json()) as GrepQuestion);
  await Bun.write(Bun.stdout, JSON.stringify(found));
  return 0;
}
