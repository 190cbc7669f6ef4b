/** What a holder can be asked for on its socket (frames.ts, REQUEST), beside its output. */

import type { AttachedClientInfo } from "./attach.ts";
import type { ShellOutcome } from "../types/shell-command.ts";

export interface HolderMethods {
  /** Bytes for the command, base64. Answered when they are accepted, in the order of the requests. */
  input: { params: { data: string; takeover?: boolean }; result: InputResult };
  /** By name, as the terminal's modes have them (terminal/keys/keys.ts). */
  keys: { params: { keys: readonly string[]; takeover?: boolean }; result: InputResult };
  /** Base64, as pasted: bracketed where the command asked for that. */
  paste: { params: { data: string; takeover?: boolean }; result: InputResult };
  /** Base64. Refused where a terminal would show it, and not counted where typing is. */
  secret: { params: { data: string; takeover?: boolean }; result: InputResult };
  /** Who is attached. */
  clients: { params: Record<string, never>; result: { clients: AttachedClientInfo[]; max_clients?: number } };
  detach: { params: { client_id: string }; result: Record<string, never> };
  /** The end of its input: on a terminal the key for that, on pipes the end itself, once it has read what was sent before. */
  end_input: { params: { takeover?: boolean }; result: Record<string, never> };
  /** Whether the command waits for a person, as far as that can be seen now. */
  input_state: { params: Record<string, never>; result: InputState };
  /** Where its processes listen, by port. */
  ports: { params: Record<string, never>; result: { ports: ListeningPort[] } };
  /** Base64 of a command for the shell that this session is. Answered when it has ended, or after this long: it goes on then. `call` is a name for it, of the caller's own choice. */
  exec: { params: { command: string; timeout_ms: number; takeover?: boolean; call?: string }; result: ShellOutcome };
  /** Nobody waits any more for the command of that call: what was not given to the shell yet is not, and what runs is interrupted. Older holders do not know it. */
  give_up: { params: { call: string }; result: { interrupted: boolean } };
  /** Answered when that shell is at its prompt with nothing typed, or after this long. */
  until_prompt: { params: { timeout_ms: number }; result: { at_prompt: boolean; cwd: string | null } };
  resize: { params: { cols: number; rows: number }; result: Record<string, never> };
  /** By name, to the command's process group. */
  signal: { params: { signal: string }; result: Record<string, never> };
  /** The whole tree: this signal (SIGTERM), and SIGKILL after the grace. Answered at once; the end is told as any other. */
  stop: {
    params: { signal?: string; grace_ms?: number; reason?: "stop_requested" | "daemon_shutdown" };
    result: Record<string, never>;
  };
  kill: { params: Record<string, never>; result: Record<string, never> };
  /** Null takes the name away. */
  rename: { params: { name: string | null }; result: Record<string, never> };
}

/** With where the output stood just before, which older holders do not tell. */
export interface InputResult {
  bytes_written: number;
  cursor?: number;
}

export interface InputState {
  /** "echo_off": for a line that is not shown, a password; "reading": for anything else; null: it does not wait. */
  waiting: "echo_off" | "reading" | null;
  /** It may wait: a look after this long will tell. */
  settles_in_ms: number | null;
  /** Who reads. */
  pid: number | null;
  /** What it was told by, from the surest on: the system call, the kernel's function, that it sleeps. */
  evidence: "syscall" | "wchan" | "state" | null;
  /** It has the whole screen to itself: an editor, which waits for keys as long as it lives. */
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

/** With EBUSY: there is no command yet that could be acted on. Whoever asked asks again. */
export const SESSION_STARTING = "the session is starting";

/** With ESESSIONCLOSED: there is no command any more. */
export const SESSION_ENDED = "the session has ended";

/** With EBUSY: the command does not read. Whoever sends waits. */
export const INPUT_NOT_READ = "the command has not read";

/** What is typed at once, with nobody's keys in between. Base64 of it still fits into a frame. */
export const MAX_INPUT_BYTES = 2 * 1024 * 1024;
/** A line that a terminal takes in at once, so that nothing of it waits until it would be shown. */
export const MAX_SECRET_BYTES = 4000;
/** Of a terminal: columns, rows, and both together. */
export const MAX_DIMENSION = 4096;
export const MAX_CELLS = 1_000_000;
export const MAX_GRACE_MS = 600_000;
