/**
 * The request to start a session: one JSON line on a pipe to the holder. Bytes are base64, since
 * arguments and environment need not be UTF-8. The command inherits the working directory,
 * environment, umask and soft limit on open files of the caller.
 */
import type { Final, Meta, StartedBy } from "../types/session.ts";

import type { InputSharing, SizeRule } from "./attach.ts";
import type { LogSettings } from "../types/log-settings.ts";
import type { Limits } from "../types/limits.ts";
import type { ChannelSpec } from "../types/channels.ts";
import type { RestartPolicy } from "../types/restart.ts";
import type { SlowClient } from "../types/settings.ts";

export interface StartRequest {
  argv: readonly string[];
  env: readonly string[];
  /** Lossless text (platform/fs/lossless-text.ts). */
  cwd: string;
  umask: number;
  /** Soft limit on open files. Default: that of the holder. */
  open_files?: number;
  session_id: string | null;
  name: string | null;
  project_id: string | null;
  /** Default for these and `max_clients`: the settings. */
  retention_seconds?: number | undefined;
  max_output_bytes?: number | undefined;
  timeout_ms: number | null;
  idle_timeout_ms: number | null;
  max_clients?: number | undefined;
  size_rule: SizeRule;
  input: InputSharing;
  /** Null: pipes instead of a terminal. */
  size: { cols: number; rows: number } | null;
  slow_client?: SlowClient;
  slow_client_ms?: number | undefined;
  /** Default or null: the command is not restarted. */
  restart?: RestartPolicy | null;
  /** The holder's log; default or null: every level, as JSON. */
  log?: LogSettings | null;
  /** On pipes: the whole stdin ("" is empty). Default or null: stdin stays open for `send`. */
  stdin?: string | null;
  /** Named channels. Default: none. */
  channels?: ChannelSpec[];
  /** Default or null: the limits of the caller. */
  limits?: Limits | null;
  /** Parent of its control group, if its limits need one; default or null: any that works. */
  cgroup?: string | null;
  /** Processes that the command leaves behind may go on running. */
  linger?: boolean;
  /** Time limit over all restart attempts. Default or null: none. */
  life_ms?: number | null;
  /** The program that started it. Default or null: the user. */
  started_by?: StartedBy | null;
  /**
   * The executable that policy allowed, links resolved, as lossless text; "": it was missing. If
   * the path leads to another file now, it is not executed. Default or null: no policy check was
   * made.
   */
  file?: string | null;
  /**
   * Integrate an interactive bash, zsh or fish, so that it reports prompts and commands. Default:
   * no.
   */
  shell_integration?: boolean;
}

/** The result, as one JSON line on the other pipe. */
export type StartReply =
  | { session_id: string; pid: number; meta: Meta }
  | {
      error: { code: string; message: string; hint: string | null };
      exit_code: number;
      /** The holder ended before it answered: the result is unknown. */
      is_unheard?: true;
    };

/**
 * Sent later by a warm holder on the same channel: the session ended, and `final` is its
 * final.json. Older holders omit `final`.
 */
export interface EndNotice {
  ended: string;
  final?: Final;
}

/** Sent after that: the holder has released the session and can take the next one. */
export interface FreeNotice {
  free: true;
}

/** The holder's ends of the two pipes. */
export const REQUEST_FD = 3;
export const REPLY_FD = 4;
export const HOLDER_COMMAND = "__holder";
export const DAEMON_COMMAND = "__daemon";
/**
 * Holder argument: wait for a request and keep the channel until the end. The daemon's warm holders
 * have one socket in place of both pipes.
 */
export const WARM = "warm";
/** The holder keeps it until the command has read it; it is sent as one line. */
export const MAX_STDIN_BYTES = 4 * 1024 * 1024;
/** TERM of a new terminal if the caller sets none: the sequences that holt understands. */
export const DEFAULT_TERMINAL = "xterm-256color";
export const DEFAULT_SIZE = { cols: 120, rows: 40 };
