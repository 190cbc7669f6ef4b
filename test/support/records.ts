/** Records of a session that ended long ago on another machine; a test says what is different about its own. */
import { DEFAULT_MAX_OUTPUT_BYTES, type Final, FORMAT_VERSION, type Meta } from "../../src/protocol/types/session.ts";

export function metaOf(id: string, changes: Partial<Meta> = {}): Meta {
  return {
    format: FORMAT_VERSION,
    session_id: id,
    name: null,
    argv: ["true"],
    cwd: "/",
    env_keys: ["PATH"],
    transport_mode: "posix-pty",
    tty_attached: false,
    size: { cols: 80, rows: 24, width: 0, height: 0 },
    project_id: null,
    shared: false,
    retention_seconds: 3600,
    max_output_bytes: DEFAULT_MAX_OUTPUT_BYTES,
    created_at: "2026-01-02T03:04:05.678Z",
    started_at: "2026-01-02T03:04:05.680Z",
    process: { pid: 4_194_303, start_time: 1, boot_id: "another-boot" },
    holder: { pid: 4_194_303, start_time: 1, boot_id: "another-boot" },
    socket: null,
    holt_version: "0.0.0-test",
    previous_session_id: null,
    restart: null,
    limits: null,
    linger: false,
    timeout_ms: null,
    idle_timeout_ms: null,
    client_rules: null,
    started_by: null,
    channels: [],
    ...changes,
  };
}

export function finalOf(id: string, changes: Partial<Final> = {}): Final {
  return {
    format: FORMAT_VERSION,
    session_id: id,
    state: "exited",
    reason: "completed",
    exit_code: 0,
    signal: null,
    started_at: "2026-01-02T03:04:05.680Z",
    ended_at: "2026-01-02T03:04:06.680Z",
    ended_uptime: null,
    duration_ms: 1000,
    output_bytes: 0,
    output_complete: true,
    input_unread: 0,
    truncated: false,
    usage: { cpu_ms: 3, cpu_user_ms: 1, cpu_system_ms: 2, max_rss_kb: 1024 },
    error: null,
    survivors: [],
    ...changes,
  };
}
