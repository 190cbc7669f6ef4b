/** Methods of a holder's socket (frames.ts, REQUEST). */

import type { AttachedClientInfo } from "./attach.ts";
import type { ShellOutcome } from "../types/shell-command.ts";

export interface HolderMethods {
  /**
   * Bytes for the command, base64. The answer comes when they are accepted, in the order of the
   * requests.
   */
  input: { params: { data: string; takeover?: boolean }; result: InputResult };
  /** Keys by name, encoded for the terminal's modes (terminal/keys/keys.ts). */
  keys: { params: { keys: readonly string[]; takeover?: boolean }; result: InputResult };
  /** Base64, as a paste: bracketed if the command enabled that mode. */
  paste: { params: { data: string; takeover?: boolean }; result: InputResult };
  /** Base64. Refused while the terminal echoes; its length is not counted as input. */
  secret: { params: { data: string; takeover?: boolean }; result: InputResult };
  /** Attached clients. */
  clients: { params: Record<string, never>; result: { clients: AttachedClientInfo[]; max_clients?: number } };
  detach: { params: { client_id: string }; result: Record<string, never> };
  /**
   * End of input. On a terminal: the EOF key. On pipes: closes stdin after the bytes sent before.
   */
  end_input: { params: { takeover?: boolean }; result: Record<string, never> };
  /** Whether the command waits for input, as far as that is visible now. */
  input_state: { params: Record<string, never>; result: InputState };
  /** Ports on which its processes listen. */
  ports: { params: Record<string, never>; result: { ports: ListeningPort[] } };
  /**
   * Base64 of a command for an integrated shell. The answer comes when it has ended, or after the
   * timeout while it runs on. `call` is a caller-chosen name for give_up.
   */
  exec: { params: { command: string; timeout_ms: number; takeover?: boolean; call?: string }; result: ShellOutcome };
  /**
   * Gives up the command of that call: a queued command is dropped, a running one is interrupted.
   * Older holders do not know this method.
   */
  give_up: { params: { call: string }; result: { interrupted: boolean } };
  /** The answer comes when the shell is at an empty prompt, or after the timeout. */
  until_prompt: { params: { timeout_ms: number }; result: { at_prompt: boolean; cwd: string | null } };
  resize: { params: { cols: number; rows: number }; result: Record<string, never> };
  /** Signal by name, to the command's process group. */
  signal: { params: { signal: string }; result: Record<string, never> };
  /**
   * To the whole process tree: this signal (SIGTERM), then SIGKILL after the grace period. Answered
   * at once; the end is reported like any other.
   */
  stop: {
    params: { signal?: string; grace_ms?: number; reason?: "stop_requested" | "daemon_shutdown" };
    result: Record<string, never>;
  };
  kill: { params: Record<string, never>; result: Record<string, never> };
  /** Null removes the name. */
  rename: { params: { name: string | null }; result: Record<string, never> };
}

/** `cursor` is the end of the output just before the input; older holders omit it. */
export interface InputResult {
  bytes_written: number;
  cursor?: number;
}

export interface InputState {
  /**
   * "echo_off": for a hidden line (a password); "reading": for other input; null: it does not wait.
   */
  waiting: "echo_off" | "reading" | null;
  /** The state is not settled: check again after this time. */
  settles_in_ms: number | null;
  /** The process that reads. */
  pid: number | null;
  /**
   * Source of the finding, most reliable first: the system call, the kernel function, a sleeping
   * process.
   */
  evidence: "syscall" | "wchan" | "state" | null;
  /** A full-screen program such as an editor, which waits for keys all its life. */
  full_screen?: boolean;
}

export interface ListeningPort {
  port: number;
  address: string;
  pid: number;
}

export type HolderMethod = keyof HolderMethods;

export const HOLDER_METHODS: readonly HolderMethod[] = [
  "input",
  "keys",
  "paste",
  "secret",
  "clients",
  "detach",
  "end_input",
  "input_state",
  "ports",
  "exec",
  "give_up",
  "until_prompt",
  "resize",
  "signal",
  "stop",
  "kill",
  "rename",
];

/** Message of EBUSY before the command runs; the caller retries. */
export const SESSION_STARTING = "the session is starting";

/** Message of ESESSIONCLOSED after the command has ended. */
export const SESSION_ENDED = "the session has ended";

/** Message of EBUSY while the command does not read; the caller waits. */
export const INPUT_NOT_READ = "the command has not read";

/** Most bytes of one uninterrupted input. In base64 they fit into a frame. */
export const MAX_INPUT_BYTES = 2 * 1024 * 1024;
/** Fits the kernel's line buffer, so that no part of it waits until echo is on again. */
export const MAX_SECRET_BYTES = 4000;
/** Bounds of a terminal: columns, rows, and cells. */
export const MAX_DIMENSION = 4096;
export const MAX_CELLS = 1_000_000;
export const MAX_GRACE_MS = 600_000;
