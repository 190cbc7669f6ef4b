/** `holt __search`: looks for a pattern on behalf of a wait that can end it (client/read/search-process.ts). */
import { searchInProcess } from "../../../client/read/pattern-search.ts";
import { dieWithParent } from "../../../platform/process/die-with-parent.ts";

export async function main(): Promise<number> {
  dieWithParent();
  let search: ReturnType<typeof searchInProcess> | null = null;
  for await (const line of console) {
    const question = JSON.parse(line) as { source: string; flags: string } | { text: string; from: number };
    if ("source" in question) search = searchInProcess(new RegExp(question.source, question.flags));
    else process.stdout.write(`${JSON.stringify(await search?.find(question.text, question.from))}\n`);
  }
  return 0;
}
