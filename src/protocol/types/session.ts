/** What a session is, as every room and every wire spells it. */
import type { ClientRules } from "../wire/client-rules.ts";
import type { Limits } from "./limits.ts";
import type { ChannelSpec } from "./channels.ts";
import type { Restart } from "./restart.ts";

export const FORMAT_VERSION = 1;

/** What every session has, and the names of further ones (channels.ts). */
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
  /** Pixels; 0 where the terminal does not tell. */
  width: number;
  height: number;
}

/** A process so named that a reused pid is not mistaken for it. */
export interface ProcessIdentity {
  pid: number;
  /** Clock ticks since boot (Linux), null where the platform has no such thing. */
  start_time: number | null;
  boot_id: string | null;
}

/** Time since the boot of that id: a clock that nothing sets. */
export interface Uptime {
  boot_id: string | null;
  uptime_ms: number;
}

/** A program that asked the daemon for a session. */
export interface StartedBy extends ProcessIdentity {
  /** What it is, for people: `holt mcp`, `python3`. */
  label: string;
}

/** `meta.json`: written before the spawn, rewritten once with the command's pid. */
export interface Meta {
  format: number;
  session_id: string;
  name: string | null;
  argv: string[];
  cwd: string;
  /** Keys only: values are never persisted. */
  env_keys: string[];
  transport_mode: TransportMode;
  /** Whether a person's terminal is attached to the session's start (an interactive `run`). */
  tty_attached: boolean;
  size: TerminalSize | null;
  project_id: string | null;
  shared: boolean;
  retention_seconds: number;
  max_output_bytes: number;
  created_at: string;
  /** Null until the spawn succeeded. */
  started_at: string | null;
  /** The command; null until it was spawned. */
  process: ProcessIdentity | null;
  holder: ProcessIdentity;
  /** The holder's unix socket; null where it could not be bound. */
  socket: string | null;
  holt_version: string;
  /** The attempt before this one, of a command that is started again when it ends. */
  previous_session_id: string | null;
  /** Null: it is not. */
  restart: Restart | null;
  /** Those beside what it prints. */
  channels: ChannelSpec[];
  /** What its processes may use at most; null: as much as whoever started it. */
  limits: Limits | null;
  /** What the command leaves running when it ends may go on. */
  linger: boolean;
  /** After so long it is ended; null: never. */
  timeout_ms: number | null;
  /** After so long without output, input or anybody who comes and goes; null: never. */
  idle_timeout_ms: number | null;
  /** For those who are attached; null: as usual. */
  client_rules: ClientRules | null;
  /** Null: the person, at the command line. */
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
  /** The same moment by a clock that was right, whatever that of the wall said; null in records of an earlier version. */
  ended_uptime: Uptime | null;
  duration_ms: number;
  /** Bytes the command produced; the end cursor. */
  output_bytes: number;
  /** False when something still held the terminal open when draining ended. */
  output_complete: boolean;
  /**
   * Bytes that were sent to the command and that it had not read when it ended: those that wait in holt, in the input of its terminal (keys and answers to its questions
   * too) or in the pipe that is its stdin. Null in records of an earlier version, and where some are left and a secret was sent, as no secret's length is recorded. Not counted: what the kernel drops of a line of more than 4,095 bytes, what was in a
   * pipe whose end was sent, or in a terminal that was hung up.
   */
  input_unread: number | null;
  /** True when some bytes below `output_bytes` were not captured (limit, full disk). */
  truncated: boolean;
  usage: Usage | null;
  /** What went wrong, for `failed`. */
  error: { code: string; message: string } | null;
  /** What it left running and was allowed to; at most MAX_SURVIVORS of them. */
  survivors: ProcessIdentity[];
}

/** Of those in `final.json`, whose place on disk is reserved; a look at the processes finds them all. */
export const MAX_SURVIVORS = 20;

/** What is known of a session at one moment, from disk alone. */
export interface Session extends Meta {
  state: SessionState;
  /** Why it ended; null while it lives. */
  reason: FinalReason | null;
  exit_code: number | null;
  signal: string | null;
  ended_at: string | null;
  duration_ms: number | null;
  output_bytes: number;
  output_complete: boolean | null;
  /** Null while it lives, and where that is not known. */
  input_unread: number | null;
  truncated: boolean;
  usage: Usage | null;
  error: { code: string; message: string } | null;
  /** Processes that a lost holder left running, or the command of one that may linger. */
  survivors: number[];
  /** Its terminal's size after the last resize, while `size` is that at the start; null on pipes. */
  current_size: { cols: number; rows: number } | null;
  /** The attempt after this one. */
  next_session_id: string | null;
  /** Lives, but has neither printed, nor been typed into, nor used the processor for long. */
  quiet: boolean;
  /** Since when. */
  quiet_since: string | null;
  /** Where it stands in a list, `argv` or `env_keys` were too long for one. */
  abridged?: true | undefined;
}

export const DEFAULT_RETENTION_SECONDS = 24 * 60 * 60;
export const DEFAULT_MAX_OUTPUT_BYTES = 1024 ** 3;
export const DEFAULT_QUOTA_BYTES = 20 * 1024 ** 3;
export const DEFAULT_READ_BYTES = 65536;

/** The life of a session. Anything not listed is impossible. */
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
