/** Sessions and output as the `derun` tools return them. */
import type { ReadResult } from "../../../client/sessions/local-sessions.ts";
import {
  SCHEMA_VERSION,
  type WireOutput,
  type WireSession,
  type WireSessionDetail,
} from "../../../protocol/methods/derun.schema.ts";
import type { Session } from "../../../protocol/types/session.ts";

export function wireSession(session: Session): WireSession {
  return {
    session_id: session.session_id,
    name: session.name,
    state: session.state,
    reason: session.reason,
    exit_code: session.exit_code,
    signal: session.signal,
    error: session.error,
    argv: session.argv,
    cwd: session.cwd,
    pid: session.process?.pid ?? null,
    transport_mode: session.transport_mode,
    tty_attached: session.tty_attached,
    created_at: session.created_at,
    started_at: session.started_at,
    ended_at: session.ended_at,
    duration_ms: session.duration_ms,
    output_bytes: session.output_bytes,
    output_complete: session.output_complete,
    truncated: session.truncated,
    retention_seconds: session.retention_seconds,
    expires_at: expiresAt(session),
  };
}

export function wireSessionDetail(session: Session): WireSessionDetail {
  const { size, env_keys, usage, survivors } = session;
  return {
    ...wireSession(session),
    size: size === null ? null : { cols: size.cols, rows: size.rows },
    env_keys,
    usage,
    survivors,
  };
}

export function wireOutput(id: string, { chunks, next_cursor, eof, truncated }: ReadResult): WireOutput {
  return {
    schema_version: SCHEMA_VERSION,
    session_id: id,
    chunks: chunks.map(({ channel, offset, timestamp, bytes }) => ({
      channel,
      offset: String(offset),
      length: bytes.length,
      timestamp,
      data: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64"),
    })),
    next_cursor: String(next_cursor),
    eof,
    truncated,
  };
}

function expiresAt({ ended_at, retention_seconds }: Session): string | null {
  return ended_at === null ? null : new Date(Date.parse(ended_at) + retention_seconds * 1000).toISOString();
}
