/** Sessions and output as text, for models whose host does not show structured content. */
import type { Chunk, ReadResult } from "../../client/sessions/local-sessions.ts";
import type { Session } from "../../protocol/types/session.ts";
import { oneLine } from "../../terminal/text/one-line.ts";
import { renderText } from "../../terminal/text/text-view.ts";

export function readableList(sessions: readonly Session[], total: number): string {
  if (sessions.length === 0) return "no sessions";
  const left = total - sessions.length;
  const lines = sessions.map((session) => `${summary(session)}  ${command(session)}`);
  return left > 0 ? [...lines, `… and ${left} more: raise limit to see them`].join("\n") : lines.join("\n");
}

export function readableSession(session: Session): string {
  const lines = [
    summary(session),
    `command: ${command(session)}`,
    `cwd: ${oneLine(session.cwd)}`,
    `created: ${session.created_at}`,
  ];
  if (session.ended_at !== null) lines.push(`ended: ${session.ended_at}, kept for ${session.retention_seconds} s`);
  if (session.error !== null) lines.push(`error: ${oneLine(session.error.message)}`);
  if (session.survivors.length > 0) lines.push(`still running: pid ${session.survivors.join(", ")}`);
  return lines.join("\n");
}

export function readableOutput({ chunks, next_cursor, eof, truncated }: ReadResult, outcome = ""): string {
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.bytes.length, 0);
  const parts = [`${bytes} bytes`, `next_cursor ${next_cursor}`, eof ? "eof: the session has ended" : "not at eof"];
  if (outcome !== "") parts.unshift(outcome);
  if (truncated) parts.push("some output was not kept");
  return parts.join(" · ");
}

/** Output without escape sequences; with two channels, each change of channel is marked. */
export function outputText(chunks: readonly Chunk[]): string {
  const mixed = chunks.some(({ channel }) => channel !== chunks[0]?.channel);
  let text = "";
  let run: Uint8Array[] = [];
  for (const [index, { channel, bytes }] of chunks.entries()) {
    run.push(bytes);
    if (channel === chunks[index + 1]?.channel) continue;
    const plain = renderText(Buffer.concat(run));
    text += mixed ? `[${channel}]\n${plain}\n` : plain;
    run = [];
  }
  return text;
}

function summary({ session_id, name, state, exit_code, signal, reason, output_bytes }: Session): string {
  const how = exit_code ?? signal ?? (reason === "completed" ? null : reason);
  const named = name === null ? "" : ` ${JSON.stringify(name)}`;
  return `${session_id}${named}  ${state}${how === null ? "" : ` ${how}`}  ${output_bytes} bytes`;
}

function command({ argv }: Session): string {
  return argv.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word))).join(" ");
}
