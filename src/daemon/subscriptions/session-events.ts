/**
 * Sends a session's events under the names that the subscriber chose: session.* for any session,
 * exec.* for a command on pipes, pty.* for one on a terminal.
 */
import { type FinalReason, isFailure, type Session } from "../../protocol/types/session.ts";
import { exitStatus } from "../calls/exit-status.ts";
import type { Subscriber } from "./subscriber.ts";

/** Output bytes, or the range of bytes that were not kept. */
export interface Piece {
  channel: string | null;
  cursor: number;
  next: number;
  timestamp: number | null;
  bytes: Uint8Array | null;
}

type Kind = Pick<Session, "session_id" | "transport_mode">;

export function wantsOutput(subscriber: Subscriber, session: Kind): boolean {
  return subscriber.wants("output") || subscriber.wants(isCommand(session) ? "exec.output" : "pty.output");
}

/**
 * Like all events but output, sent without waiting for room, so that later events cannot overtake
 * it.
 */
export function notifyStarted(subscriber: Subscriber, { session_id, name, argv, cwd }: Session): void {
  if (subscriber.wants("started")) void subscriber.notify("session.started", { session_id, name, argv, cwd });
}

export function notifyRunning(subscriber: Subscriber, session: Session): void {
  const { session_id, argv, cwd, started_at } = session;
  if (!isCommand(session) || !subscriber.wants("exec.started")) return;
  void subscriber.notify("exec.started", { session_id, argv, cwd, started_at });
}

export async function notifyOutput(subscriber: Subscriber, session: Kind, piece: Piece): Promise<void> {
  const { session_id } = session;
  const body = {
    session_id,
    channel: piece.channel,
    cursor: String(piece.cursor),
    next_cursor: String(piece.next),
    timestamp: piece.timestamp === null ? null : new Date(piece.timestamp).toISOString(),
    data: piece.bytes?.toBase64() ?? "",
    truncated: piece.bytes === null,
  };
  if (subscriber.wants("output")) await subscriber.notify("session.output", body);
  if (isCommand(session) && subscriber.wants("exec.output")) await subscriber.notify("exec.output", body);
  if (isCommand(session) || !subscriber.wants("pty.output")) return;
  const { data, timestamp: ts, truncated } = body;
  await subscriber.notify("pty.output", { id: session_id, seq: piece.next, data, ts, truncated });
}

/** Sends the final state; `session.exited` is last, nothing follows it. */
export function notifyEnded(subscriber: Subscriber, session: Session): void {
  const { session_id, state, reason, exit_code, signal, output_bytes } = session;
  const outcome = { session_id, state, reason, exit_code, signal };
  (isCommand(session) ? notifyCommandEnded : notifyTerminalEnded)(subscriber, session);
  if (subscriber.wants("state_changed")) void subscriber.notify("session.state_changed", outcome);
  if (subscriber.wants("exited"))
    void subscriber.notify("session.exited", { ...outcome, cursor: String(output_bytes) });
}

function notifyCommandEnded(subscriber: Subscriber, session: Session): void {
  const { session_id, state, reason, exit_code, signal, output_bytes } = session;
  const outcome = { session_id, state, reason, exit_code, signal };
  const ended = { ...outcome, duration_ms: duration(session), cursor: String(output_bytes) };
  if (!isFailure(reason)) {
    if (subscriber.wants("exec.completed")) void subscriber.notify("exec.completed", ended);
    return;
  }
  if (subscriber.wants("exec.failed") || (isTimeout(reason) && subscriber.wants("timeout")))
    void subscriber.notify("exec.failed", { ...ended, error: failureOf(session) });
}

function notifyTerminalEnded(subscriber: Subscriber, session: Session): void {
  if (!subscriber.wants("pty.exit")) return;
  const { session_id: id, output_bytes: seq } = session;
  void subscriber.notify("pty.exit", { id, rc: exitStatus(session), duration_ms: duration(session), seq });
}

function duration({ duration_ms }: Session): number | null {
  return duration_ms === null ? null : Math.round(duration_ms);
}

function isCommand({ transport_mode }: Kind): boolean {
  return transport_mode === "pipe";
}

function isTimeout(reason: FinalReason | null): boolean {
  return reason === "timeout" || reason === "idle_timeout";
}

function failureOf({ reason, error }: Session): { code: string; message: string } {
  if (error !== null) return { code: error.code, message: error.message };
  switch (reason) {
    case "timeout":
      return { code: "ETIMEOUT", message: "the command timed out; its process tree was ended" };
    case "idle_timeout":
      return { code: "ETIMEOUT", message: "the command was idle for too long; its process tree was ended" };
    case "limit_exceeded":
      return { code: "ERLIMIT", message: "the command exceeded its limits" };
    default:
      return { code: "EINTERNAL", message: `unexpected end: ${reason}` };
  }
}
