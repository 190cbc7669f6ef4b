/** Reads `meta.json` and `final.json`. An incomplete or invalid record counts as missing. */
import { closeSync } from "../../platform/fs/libc-fs.ts";
import { textOf } from "../../protocol/types/bytes.ts";
import { INPUT_SHARINGS, SIZE_RULES } from "../../protocol/wire/attach.ts";
import { CHANNEL_FORMATS, CHANNEL_SOURCES, type ChannelSpec } from "../../protocol/types/channels.ts";
import type { ClientRules } from "../../protocol/wire/client-rules.ts";
import type { Limits } from "../../protocol/types/limits.ts";
import type { Restart } from "../../protocol/types/restart.ts";
import type { Final, FinalState, Meta, TransportMode, Uptime } from "../../protocol/types/session.ts";
import { FINAL_REASONS } from "../../protocol/types/session.ts";
import { isSessionId } from "../../protocol/types/session-id.ts";
import { readStart } from "./read-at.ts";
import type { SessionDir } from "../session-dir.ts";
import {
  amount,
  count,
  flag,
  integer,
  list,
  nullable,
  oneOf,
  orElse,
  orMissing,
  parseJson,
  fields,
  text,
  time,
} from "../shape.ts";

/** An argv can fill ARG_MAX, 2 MiB on Linux. */
const MAX_RECORD_BYTES = 4 * 1024 * 1024;

const TRANSPORT_MODES: readonly TransportMode[] = ["posix-pty", "windows-conpty", "pipe"];
const FINAL_STATES: readonly FinalState[] = ["exited", "signaled", "failed"];

const sessionId = (value: unknown) => (typeof value === "string" && isSessionId(value) ? value : undefined);
const identity = fields({ pid: count, start_time: nullable(count), boot_id: nullable(text) });

const restart = fields<Restart>({
  when: oneOf(["on_failure", "always"] as const),
  max_restarts: nullable(count),
  delay_ms: count,
  count,
  in_a_row: count,
  starts_at: nullable(time),
});

const limits = fields<Limits>({
  cpu_ms: orMissing(count),
  memory_bytes: orMissing(count),
  files: orMissing(count),
  processes: orMissing(count),
  file_size_bytes: orMissing(count),
  session_memory_bytes: orMissing(count),
  session_processes: orMissing(count),
});

const clientRules = fields<ClientRules>({
  input: oneOf(INPUT_SHARINGS),
  size_rule: oneOf(SIZE_RULES),
  max_clients: count,
});

const channel = fields<ChannelSpec>({
  name: text,
  format: oneOf(CHANNEL_FORMATS),
  source: oneOf(CHANNEL_SOURCES),
  path: orMissing(text),
});

const meta = fields<Meta>({
  format: count,
  session_id: sessionId,
  name: nullable(text),
  argv: list(text),
  cwd: text,
  env_keys: list(text),
  transport_mode: oneOf(TRANSPORT_MODES),
  tty_attached: flag,
  size: nullable(fields({ cols: count, rows: count, width: count, height: count })),
  project_id: nullable(text),
  shared: flag,
  retention_seconds: count,
  max_output_bytes: count,
  created_at: time,
  started_at: nullable(time),
  process: nullable(identity),
  holder: identity,
  socket: nullable(text),
  holt_version: text,
  previous_session_id: orMissing(sessionId),
  restart: orMissing(restart),
  limits: orMissing(limits),
  linger: orElse(flag, false),
  timeout_ms: orMissing(count),
  idle_timeout_ms: orMissing(count),
  client_rules: orMissing(clientRules),
  started_by: orMissing(fields({ label: text, pid: count, start_time: nullable(count), boot_id: nullable(text) })),
  channels: orElse(list(channel), []),
});

const final = fields<Final>({
  format: count,
  session_id: sessionId,
  state: oneOf(FINAL_STATES),
  reason: oneOf(FINAL_REASONS),
  exit_code: nullable(integer),
  signal: nullable(text),
  started_at: nullable(time),
  ended_at: time,
  ended_uptime: orMissing(fields<Uptime>({ boot_id: nullable(text), uptime_ms: count })),
  duration_ms: amount,
  output_bytes: count,
  output_complete: flag,
  input_unread: orMissing(count),
  truncated: flag,
  usage: nullable(fields({ cpu_ms: amount, cpu_user_ms: amount, cpu_system_ms: amount, max_rss_kb: amount })),
  error: nullable(fields({ code: text, message: text })),
  survivors: orElse(list(identity), []),
});

export function parseMeta(json: string): Meta | null {
  return parseJson(json, meta);
}

export function parseFinal(json: string): Final | null {
  return parseJson(json, final);
}

/** Null if it is missing, torn, or of another session. */
export function readMeta(dir: SessionDir): Meta | null {
  return ownRecord(dir, parseMeta(readRecord(dir, "meta.json")));
}

export function readFinal(dir: SessionDir): Final | null {
  return ownRecord(dir, parseFinal(readRecord(dir, "final.json")));
}

function readRecord(dir: SessionDir, name: "meta.json" | "final.json"): string {
  const fd = dir.openIfThere(name, "read");
  if (fd === null) return "";
  try {
    return textOf(readStart(fd, MAX_RECORD_BYTES));
  } finally {
    closeSync(fd);
  }
}

function ownRecord<T extends { session_id: string }>(dir: SessionDir, value: T | null): T | null {
  return value?.session_id === dir.id ? value : null;
}
