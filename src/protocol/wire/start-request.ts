import type { Final, Meta, StartedBy } from "../types/session.ts";

/**
 * What a holder that stands on its own is told to start, as one JSON line: by `holt start` on a pipe. Bytes are base64, since neither
 * arguments nor an environment need be UTF-8. The caller's working directory, environment, umask and soft limit on open files are the command's.
 */
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
  /** The soft limit on open files. Left out: that which the holder was started with. */
  open_files?: number;
  session_id: string | null;
  name: string | null;
  project_id: string | null;
  /** These and `max_clients` left out: as usual. */
  retention_seconds?: number | undefined;
  max_output_bytes?: number | undefined;
  timeout_ms: number | null;
  idle_timeout_ms: number | null;
  max_clients?: number | undefined;
  size_rule: SizeRule;
  input: InputSharing;
  /** Null: on pipes. */
  size: { cols: number; rows: number } | null;
  slow_client?: SlowClient;
  slow_client_ms?: number | undefined;
  /** Left out or null: it is not started again when it ends. */
  restart?: RestartPolicy | null;
  /** Of the holder; left out or null: all, as JSON. */
  log?: LogSettings | null;
  /** On pipes, all that it will ever read from its stdin, "" being nothing. Left out or null: that stays open for whoever sends. */
  stdin?: string | null;
  /** Beside what it prints. Left out: none. */
  channels?: ChannelSpec[];
  /** Left out or null: the command has those of whoever asked. */
  limits?: Limits | null;
  /** Where its control group is made, if its limits take one; left out or null: wherever that works. */
  cgroup?: string | null;
  /** What it leaves running when it ends may go on. */
  linger?: boolean;
  /** Of all attempts together, of what is started again. Left out or null: without end. */
  life_ms?: number | null;
  /** The program that asked for it. Left out or null: the person. */
  started_by?: StartedBy | null;
  /**
   * The file that the command was when it was allowed, links resolved, as lossless text; "": it was not there. Another is not executed, though the
   * same path leads to it by now. Left out or null: nobody has judged it.
   */
  file?: string | null;
  /** Whether an interactive bash, zsh or fish is made to tell of its prompts and commands. Left out: it is not. */
  shell_integration?: boolean;
}

/** How it went, as one JSON line on the other pipe. */
export type StartReply =
  | { session_id: string; pid: number; meta: Meta }
  | {
      error: { code: string; message: string; hint: string | null };
      exit_code: number;
      /** Nobody knows how it went: the holder ended before it answered. */
      is_unheard?: true;
    };

/** What a warm holder says later on the same channel: the last word on a session is on disk, and this is it. One of an older version leaves it out. */
export interface EndNotice {
  ended: string;
  final?: Final;
}

/** What it says last of a session: nothing of it is left, and the next one may come. */
export interface FreeNotice {
  free: true;
}

/** The holder's ends of the two pipes. */
export const REQUEST_FD = 3;
export const REPLY_FD = 4;
export const HOLDER_COMMAND = "__holder";
export const DAEMON_COMMAND = "__daemon";
/** Its argument: wait for the request, and keep the channel until the end. The daemon's, one socket in the place of both pipes. */
export const WARM = "warm";
/** It waits in the holder until the command has read it, and travels as one line. */
export const MAX_STDIN_BYTES = 4 * 1024 * 1024;
/** TERM on a terminal of ours, where the caller says none: what its sequences are understood as. */
export const DEFAULT_TERMINAL = "xterm-256color";
export const DEFAULT_SIZE = { cols: 120, rows: 40 };
