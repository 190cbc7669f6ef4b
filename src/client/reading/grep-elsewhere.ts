/** A part of a search in a process of its own (`holt __grep`): one JSON line says what is asked, one what was found. Killed when nobody wants to know. */
import { ownCommand } from "../../platform/own-command.ts";
import { HoltError } from "../../protocol/errors.ts";
import { layoutAt } from "../../transcript/layout.ts";
import { TranscriptReader } from "../../transcript/reader.ts";
import { grepPage, type Grepped, type GrepOptions } from "./grep-page.ts";

export const GREP_COMMAND = "__grep";

export interface GrepQuestion {
  /** The state directory. */
  root: string;
  id: string;
  options: GrepOptions;
}

export async function grepElsewhere(question: GrepQuestion, signal: AbortSignal): Promise<Grepped> {
  if (signal.aborted) throw new HoltError("ECANCELED", "the call was canceled");
  const child = Bun.spawn([...ownCommand(), GREP_COMMAND], { stdin: "pipe", stdout: "pipe", stderr: "ignore" });
  const kill = (): void => child.kill("SIGKILL");
  signal.addEventListener("abort", kill, { once: true });
  try {
    void child.stdin.write(JSON.stringify(question));
    void child.stdin.end();
    const answer = await new Response(child.stdout).text();
    await child.exited;
    if (signal.aborted) throw new HoltError("ECANCELED", "the call was canceled");
    if (answer === "")
      throw new HoltError("EIO", "the process that searched for the pattern ended", { hint: "try again" });
    return JSON.parse(answer) as Grepped;
  } finally {
    signal.removeEventListener("abort", kill);
    kill();
  }
}

/** In that process. */
export async function answerGrep({ root, id, options }: GrepQuestion): Promise<Grepped> {
  using reader = TranscriptReader.open(layoutAt(root), id);
  return await grepPage(reader, options, async () => {});
}
