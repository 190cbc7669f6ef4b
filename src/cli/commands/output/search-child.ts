/**
 * `holt __search`: matches a pattern in a child process that the waiting parent can kill
 * (client/read/search-process.ts).
 */
import { searchInProcess } from "../../../client/read/pattern-search.ts";
import { dieWithParent } from "../../../platform/process/die-with-parent.ts";

export async function main(): Promise<number> {
  dieWithParent();
  let search: ReturnType<typeof searchInProcess> | null = null;
  for await (const line of console) {
    const request = JSON.parse(line) as { source: string; flags: string } | { text: string; from: number };
    if ("source" in request) search = searchInProcess(new RegExp(request.source, request.flags));
    else process.stdout.write(`${JSON.stringify(await search?.find(request.text, request.from))}\n`);
  }
  return 0;
}
