/**
 * Searches transcripts in a child process (`holt __grep`), for servers: a regular expression cannot
 * be interrupted, and a gigabyte takes time. One JSON text each for request and answer; a cancel
 * kills the process.
 */
import { ownCommand } from "../../../platform/process/own-command.ts";
import { HoltError, isErrorCode } from "../../../protocol/types/errors.ts";
import { layoutAt } from "../../../transcript/layout.ts";
import { LocalSessions } from "../../sessions/local-sessions.ts";
import { grepPage, type GrepResult, type GrepOptions } from "./grep-page.ts";
import { type SearchResult, searchSessions, type SearchRequest } from "./search.ts";
import { Semaphore } from "./semaphore.ts";

export const GREP_COMMAND = "__grep";

/** `root` is the state directory. */
type GrepCall = { root: string; id: string; grep: GrepOptions } | { root: string; search: SearchRequest };
type GrepReply = { found: unknown } | { error: { code: string; message: string; hint: string | null } };

export function grepInChildProcess(
  root: string,
  id: string,
  grep: GrepOptions,
  signal: AbortSignal,
): Promise<GrepResult> {
  return callChild({ root, id, grep }, signal) as Promise<GrepResult>;
}

export function searchSessionsInChildProcess(
  root: string,
  request: SearchRequest,
  signal: AbortSignal,
): Promise<SearchResult> {
  return callChild({ root, search: request }, signal) as Promise<SearchResult>;
}

/** For all calls together: more would only compete for the processors. */
const MAX_PROCESSES = 4;
const semaphore = new Semaphore(MAX_PROCESSES);

function callChild(call: GrepCall, signal: AbortSignal): Promise<unknown> {
  return semaphore.run(signal, () => runChild(call, signal));
}

async function runChild(call: GrepCall, signal: AbortSignal): Promise<unknown> {
  const child = Bun.spawn([...ownCommand(), GREP_COMMAND], { stdin: "pipe", stdout: "pipe", stderr: "ignore" });
  const kill = (): void => child.kill("SIGKILL");
  signal.addEventListener("abort", kill, { once: true });
  try {
    void child.stdin.write(JSON.stringify(call));
    void child.stdin.end();
    const text = await new Response(child.stdout).text();
    await child.exited;
    if (signal.aborted) throw new HoltError("ECANCELED", "the call was canceled");
    if (text === "") throw new HoltError("EIO", "the process that searched ended", { hint: "try again" });
    const answer = JSON.parse(text) as GrepReply;
    if ("found" in answer) return answer.found;
    const { code, message, hint } = answer.error;
    throw new HoltError(isErrorCode(code) ? code : "EINTERNAL", message, hint === null ? {} : { hint });
  } finally {
    signal.removeEventListener("abort", kill);
    kill();
  }
}

/** Runs in the child process. */
export async function answerGrepCall(text: string): Promise<string> {
  const call = JSON.parse(text) as GrepCall;
  try {
    return JSON.stringify({ found: await runCall(call) } satisfies GrepReply);
  } catch (error) {
    const { code, message, hint } = error instanceof HoltError ? error : new HoltError("EINTERNAL", String(error));
    return JSON.stringify({ error: { code, message, hint } } satisfies GrepReply);
  }
}

async function runCall(call: GrepCall): Promise<GrepResult | SearchResult> {
  const sessions = new LocalSessions(layoutAt(call.root));
  if ("search" in call) return searchSessions(sessions, call.search, new AbortController().signal);
  using reader = sessions.reader(call.id);
  return await grepPage(reader, call.grep, async () => {});
}
