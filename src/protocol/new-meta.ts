/** The record of a session that is about to start. */
import { DEFAULT_MAX_OUTPUT_BYTES, DEFAULT_RETENTION_SECONDS, FORMAT_VERSION, type Meta } from "./session.ts";
import { unusualRules } from "./client-rules.ts";
import type { StartRequest } from "./start-request.ts";
import { VERSION } from "./version.ts";

/** What was asked for. */
export type SessionRequest = Pick<
  Meta,
  | "name"
  | "argv"
  | "cwd"
  | "env_keys"
  | "transport_mode"
  | "tty_attached"
  | "size"
  | "project_id"
  | "shared"
  | "retention_seconds"
  | "max_output_bytes"
  | "previous_session_id"
  | "restart"
  | "limits"
  | "linger"
  | "timeout_ms"
  | "idle_timeout_ms"
  | "client_rules"
  | "started_by"
  | "channels"
>;

/** What differs from one attempt to the next, of a command that is started again. */
export type Attempt = Pick<Meta, "name" | "previous_session_id" | "restart">;

/** `told`: as text. */
export function askedFor(
  request: Omit<StartRequest, "argv" | "env">,
  told: Pick<Meta, "argv" | "cwd" | "env_keys">,
  { name, previous_session_id, restart }: Attempt,
): SessionRequest {
  const { size, project_id, channels = [], limits = null, linger = false, started_by = null } = request;
  const { retention_seconds = DEFAULT_RETENTION_SECONDS, max_output_bytes = DEFAULT_MAX_OUTPUT_BYTES } = request;
  return {
    name,
    ...told,
    transport_mode: size === null ? "pipe" : "posix-pty",
    tty_attached: false,
    size: size === null ? null : { ...size, width: 0, height: 0 },
    project_id,
    shared: true,
    retention_seconds,
    max_output_bytes,
    previous_session_id,
    restart,
    limits,
    linger,
    timeout_ms: request.timeout_ms,
    idle_timeout_ms: request.idle_timeout_ms,
    client_rules: size === null ? null : unusualRules(request),
    started_by,
    channels: [...channels],
  };
}

export type Circumstances = Pick<Meta, "session_id" | "holder" | "socket">;

export function newMeta(request: SessionRequest, { session_id, holder, socket }: Circumstances): Meta {
  return {
    format: FORMAT_VERSION,
    session_id,
    ...request,
    created_at: new Date().toISOString(),
    started_at: null,
    process: null,
    holder,
    socket,
    holt_version: VERSION,
  };
}

/** `meta.json`. */
export function metaText(meta: Meta): string {
  return `${JSON.stringify(meta)}\n`;
}
