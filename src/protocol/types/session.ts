/** The records of a session: `meta.json`, `final.json`, and the state derived from them. */
import type { ClientRules } from "../wire/client-rules.ts";
import type { Limits } from "./limits.ts";
import type { ChannelSpec } from "./channels.ts";
import type { Restart } from "./restart.ts";

export const FORMAT_VERSION = 1;

/** The built-in channels, or the name of a further one (channels.ts). */
export type Channel = "pty" | "stdout" | "stderr" | (string & {});
export type TransportMode = "posix-pty" | "windows-conpty" | "pipe";

export const SESSION_STATES = ["starting", "running", "exited", "signaled", "failed", "expired"] as const;
export type SessionState = (typeof SESSION_STATES)[number];
export type FinalState = "exited" | "signaled" | "failed";

export const FINAL_REASONS = [
  "completed",
  "stop_requested",
  "kill_requested",
  "timeout",
  "idle_timeout",
  "limit_exceeded",
  "spawn_failed",
  "holder_lost",
  "daemon_shutdown",
] as const;
export type FinalReason = (typeof FINAL_REASONS)[number];

export interface TerminalSize {
  cols: number;
  rows: number;
  /** Pixels; 0 where the terminal does not report them. */
  width: number;
  height: number;
}

/** A process, identified so that a reused pid is not mistaken for it. */
export interface ProcessIdentity {
  pid: number;
  /** Clock ticks since boot (Linux); null where the platform has no start time. */
  start_time: number | null;
  boot_id: string | null;
}

/** Time since that boot: a clock that cannot be set. */
export interface Uptime {
  boot_id: string | null;
  uptime_ms: number;
}

/** The program that started a session through the daemon. */
export interface StartedBy extends ProcessIdentity {
  /** Its name for display: `holt mcp`, `python3`. */
  label: string;
}

/** `meta.json`: written before the spawn, rewritten once with the command's pid. */
export interface Meta {
  format: number;
  session_id: string;
  name: string | null;
  argv: string[];
  cwd: string;
  /** Names only: values are never stored. */
  env_keys: string[];
  transport_mode: TransportMode;
  /** Whether the session was started on a user's terminal (an interactive `run`). */
  tty_attached: boolean;
  size: TerminalSize | null;
  project_id: string | null;
  shared: boolean;
  retention_seconds: number;
  max_output_bytes: number;
  created_at: string;
  /** Null until the spawn succeeded. */
  started_at: string | null;
  /** The command's process; null until it was spawned. */
  process: ProcessIdentity | null;
  holder: ProcessIdentity;
  /** The holder's unix socket; null where it could not be bound. */
  socket: string | null;
  holt_version: string;
  /** The previous attempt of a restarted command. */
  previous_session_id: string | null;
  /** Null: the command is not restarted. */
  restart: Restart | null;
  /** Channels beside stdout, stderr and the terminal. */
  channels: ChannelSpec[];
  /** Resource limits of its processes; null: those of the starting process. */
  limits: Limits | null;
  /** Processes that the command leaves behind may go on running. */
  linger: boolean;
  /** The session is ended after this time; null: never. */
  timeout_ms: number | null;
  /**
   * The session is ended after this time without output, input, or a client that attaches or
   * detaches; null: never.
   */
  idle_timeout_ms: number | null;
  /** Rules for attached clients; null: the defaults. */
  client_rules: ClientRules | null;
  /** Null: the user, on the command line. */
  started_by: StartedBy | null;
}

export interface Usage {
  cpu_ms: number;
  cpu_user_ms: number;
  cpu_system_ms: number;
  max_rss_kb: number;
}

/** `final.json`: written once, fsynced. */
export interface Final {
  format: number;
  session_id: string;
  state: FinalState;
  reason: FinalReason;
  exit_code: number | null;
  /** Signal name, e.g. "SIGTERM". */
  signal: string | null;
  started_at: string | null;
  ended_at: string;
  /**
   * The end by uptime, which a wrong wall clock does not affect; null in records of an earlier
   * version.
   */
  ended_uptime: Uptime | null;
  duration_ms: number;
  /** Bytes the command produced; the end cursor. */
  output_bytes: number;
  /** False when a process still held the terminal open when draining ended. */
  output_complete: boolean;
  /**
   * Bytes that were sent to the command and not read when it ended: queued in holt, in the
   * terminal's input queue (answers to its queries included), or in the pipe of its stdin.
   * Null in records of an earlier version, and where bytes are left and a secret was sent: the
   * length of a secret is never recorded.
   * Not counted: bytes that the kernel drops from a line over 4,095 bytes, and bytes in a pipe
   * whose end was sent or in a terminal that was hung up.
   */
  input_unread: number | null;
  /** True when some bytes below `output_bytes` were not captured (limit, full disk). */
  truncated: boolean;
  usage: Usage | null;
  /** The error of a `failed` session. */
  error: { code: string; message: string } | null;
  /** Processes left running under `linger`; at most MAX_SURVIVORS. */
  survivors: ProcessIdentity[];
}

/**
 * Bound for `final.json`, whose disk space is reserved; a scan of the processes finds all
 * survivors.
 */
export const MAX_SURVIVORS = 20;

/** The state of a session at one moment, from disk alone. */
export interface Session extends Meta {
  state: SessionState;
  /** Reason of the end; null while it lives. */
  reason: FinalReason | null;
  exit_code: number | null;
  signal: string | null;
  ended_at: string | null;
  duration_ms: number | null;
  output_bytes: number;
  output_complete: boolean | null;
  /** Null while it lives, and where it is unknown. */
  input_unread: number | null;
  truncated: boolean;
  usage: Usage | null;
  error: { code: string; message: string } | null;
  /** Processes that a lost holder left running, or that linger. */
  survivors: number[];
  /** The terminal's size after the last resize (`size` is the one at the start); null on pipes. */
  current_size: { cols: number; rows: number } | null;
  /** The next attempt of a restarted command. */
  next_session_id: string | null;
  /** Lives, but has not printed, read input or used the processor for a while. */
  quiet: boolean;
  /** When the quiet period began. */
  quiet_since: string | null;
  /** In a list: `argv` or `env_keys` are cut short. */
  abridged?: true | undefined;
}

export const DEFAULT_RETENTION_SECONDS = 24 * 60 * 60;
export const DEFAULT_MAX_OUTPUT_BYTES = 1024 ** 3;
export const DEFAULT_QUOTA_BYTES = 20 * 1024 ** 3;
export const DEFAULT_READ_BYTES = 65536;

/** Allowed state transitions. */
const TRANSITIONS: Record<SessionState, readonly SessionState[]> = {
  starting: ["running", "failed"],
  running: ["exited", "signaled", "failed"],
  exited: ["expired"],
  signaled: ["expired"],
  failed: ["expired"],
  expired: [],
};

export function canBecome(from: SessionState, to: SessionState): boolean {
  return TRANSITIONS[from].includes(to);
}

export function isFinal(state: SessionState): boolean {
  return state !== "starting" && state !== "running";
}

/** Reasons of an end that the command did not choose and no client requested. */
const FAILURES: readonly FinalReason[] = ["timeout", "idle_timeout", "limit_exceeded", "spawn_failed", "holder_lost"];

export function isFailure(reason: FinalReason | null): boolean {
  return reason !== null && FAILURES.includes(reason);
}
