/** Runs a command in a session's shell, and reads its output. */
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
  /** Bounds the output that is returned. */
  maxBytes: number;
  takeover: boolean;
  signal: AbortSignal;
}

export interface ShellExecResult extends ShellOutcome {
  output_end: number;
  /** As they were sent to the terminal. */
  bytes: Uint8Array;
  next_cursor: number;
  /** There are more bytes, or some were not kept. */
  truncated: boolean;
}

/**
 * How long the answer may take beyond the command's timeout: a share of it, so that a short call
 * soon fails on a stopped holder, but always more than a healthy holder needs.
 */
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
    throw new HoltError("EBADARGS", `command too long: ${command.length} bytes`, {
      hint: `put a command of more than ${MAX_COMMAND_BYTES} bytes into a file, and run the file`,
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

/** Warns against running the command again: it may have run. */
function lostDuringCommand(id: string, { message, hint, details }: HoltError): HoltError {
  return new HoltError("EIO", `${message}; the command may have run, or still run`, {
    hint: `do not just run it again: session.read {"session_id": "${id}"} shows what it printed; ${hint}`,
    details,
  });
}

/** Returns whether the command was running and has been interrupted. */
async function giveUp(sessions: LocalSessions, id: string, request: ShellExecRequest, call: string): Promise<boolean> {
  try {
    return (await callHolder(sessions.get(id), "give_up", { call })).interrupted;
  } catch (error) {
    // An old holder does not have the method.
    return error instanceof HoltError && error.code === "EBADARGS" && (await interrupt(sessions, id, request));
  }
}

/** Types Ctrl-C, only while the command of this call runs. Returns whether it did. */
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
    return false; // the session ended, or another client holds the keyboard
  }
}

/** The shell exited during the command: the session's end is the command's. */
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
