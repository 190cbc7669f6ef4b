/** Runs a command in the shell that a session is, and reads what it printed. */
import { joined, textOf } from "../../protocol/types/bytes.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import { MAX_COMMAND_BYTES, EXEC_ANSWER_MARGIN_MS, type ShellOutcome } from "../../protocol/types/shell-command.ts";
import { follow } from "../read/follow.ts";
import { callHolder, mayHaveRun } from "../holder/holder-call.ts";
import type { LocalSessions } from "./local-sessions.ts";
import { readStored } from "../read/read-stored.ts";

export interface ShellExecRequest {
  command: Uint8Array;
  timeoutMs: number;
  /** Of its output. */
  maxBytes: number;
  takeover: boolean;
  signal: AbortSignal;
}

export interface ShellExecResult extends ShellOutcome {
  output_end: number;
  /** As the terminal was sent them. */
  bytes: Uint8Array;
  next_cursor: number;
  /** There are more, or some were not kept. */
  truncated: boolean;
}

/** How long an answer may take beyond the command's own time: who asked for two seconds does not wait for ten more on a holder that is stopped, but longer than one that is well may take. */
const MAX_MARGIN_MS = 10_000;
const MIN_MARGIN_MS = EXEC_ANSWER_MARGIN_MS + 1000;
const MARGIN_SHARE = 1 / 4;

export async function execInShell(
  sessions: LocalSessions,
  id: string,
  request: ShellExecRequest,
): Promise<ShellExecResult> {
  const { command, timeoutMs, maxBytes, takeover, signal } = request;
  if (command.length > MAX_COMMAND_BYTES)
    throw new HoltError("EBADARGS", `a command of ${command.length} bytes is too long`, {
      hint: `put what is more than ${MAX_COMMAND_BYTES} into a file, and run that`,
    });
  const call = crypto.randomUUID();
  const outcome = await callHolder(
    sessions.get(id),
    "exec",
    { command: command.toBase64(), timeout_ms: timeoutMs, takeover, call },
    { answerMs: timeoutMs + Math.min(MAX_MARGIN_MS, MIN_MARGIN_MS + timeoutMs * MARGIN_SHARE), signal },
  ).catch(async (error: unknown) => {
    if (!signal.aborted) throw mayHaveRun(error) ? lostDuringCommand(id, error) : error;
    const isInterrupted = await giveUp(sessions, id, request, call);
    throw new HoltError("ECANCELED", `the call was canceled${isInterrupted ? ", and its command interrupted" : ""}`);
  });
  const whole = outcome.outcome === "session_ended" ? await withSessionEnd(sessions, id, outcome, signal) : outcome;
  return withOutput(sessions, id, { ...whole, output_end: whole.output_end ?? whole.output_start }, maxBytes);
}

/** Whoever is told that it was not run runs it again. */
function lostDuringCommand(id: string, { message, hint, details }: HoltError): HoltError {
  return new HoltError("EIO", `${message}; the command may have run, or still run`, {
    hint: `do not just run it again: session.read {"session_id": "${id}"} has what it printed; ${hint}`,
    details,
  });
}

/** Whether it ran, and was interrupted. */
async function giveUp(sessions: LocalSessions, id: string, request: ShellExecRequest, call: string): Promise<boolean> {
  try {
    return (await callHolder(sessions.get(id), "give_up", { call })).interrupted;
  } catch (error) {
    // A holder of an earlier version, which may have been there for months.
    return error instanceof HoltError && error.code === "EBADARGS" && (await interrupt(sessions, id, request));
  }
}

/** As somebody at its terminal would, with Ctrl-C; only while that is what runs there. Whether it was. */
async function interrupt(
  sessions: LocalSessions,
  id: string,
  { command, takeover }: ShellExecRequest,
): Promise<boolean> {
  try {
    const last = sessions.commands(id, 1).commands.at(-1);
    const isOurs = last?.by === "exec" && last.ended_at === null && textOf(command).startsWith(last.command ?? "");
    if (isOurs) await callHolder(sessions.get(id), "keys", { keys: ["ctrl-c"], takeover });
    return isOurs;
  } catch {
    return false; // it has ended, or somebody else types
  }
}

/** The shell exited in it: what is known of the session is known of the command. */
async function withSessionEnd(
  sessions: LocalSessions,
  id: string,
  outcome: ShellOutcome,
  signal: AbortSignal,
): Promise<ShellOutcome> {
  for await (const _ of follow({ id, cursor: 0, signal, layout: sessions.layout, output: "none" }));
  const { exit_code, ended_at, output_bytes } = sessions.get(id);
  const duration_ms = ended_at === null ? null : Math.max(0, Date.parse(ended_at) - Date.parse(outcome.started_at));
  return { ...outcome, exit_code, ended_at, duration_ms, output_end: outcome.output_end ?? output_bytes };
}

function withOutput(
  sessions: LocalSessions,
  id: string,
  outcome: ShellOutcome & { output_end: number },
  maxBytes: number,
): ShellExecResult {
  const { output_start: from, output_end } = outcome;
  const end = Math.min(output_end, from + maxBytes);
  using reader = sessions.reader(id);
  const parts: Uint8Array[] = [];
  let truncated = end < output_end;
  let next = from;
  for (const item of readStored(reader, from, end)) {
    if (item.type === "gap") {
      truncated ||= item.from < end;
      next = Math.min(item.to, end);
    } else {
      parts.push(item.bytes);
      next = item.cursor + item.bytes.length;
    }
    if (next >= end) break;
  }
  return { ...outcome, bytes: joined(parts), next_cursor: next, truncated: truncated || next < end };
}
