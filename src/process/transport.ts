/** The interface to a running command, on a terminal (pty/) or on pipes (pipes/). */
import type { KernelLimit } from "../platform/process/limits.ts";
import type { ResourceUsage } from "../platform/process/wait.ts";
import type { Channel, TerminalSize, TransportMode } from "../protocol/types/session.ts";

export interface SpawnSpec {
  path: Uint8Array;
  argv: readonly Uint8Array[];
  env: readonly Uint8Array[];
  /** Descriptors above 2 that the caller passed for the command. */
  inherited: readonly number[];
  /** Additional descriptors of ours: the command's number → ours. */
  extra?: ReadonlyMap<number, number>;
  /** Limits set for the command only. */
  limits: readonly KernelLimit[];
  /**
   * Signals that the command ignores, as the caller does. Default: those ignored in this process.
   */
  ignored?: readonly number[];
  /**
   * Our descriptor of cgroup.procs of the command's group. Null or missing: it stays in our group.
   */
  group?: number | null;
}

export type CommandEnd = { kind: "exited"; code: number } | { kind: "signaled"; signal: number };

export interface TransportEvents {
  /** Directly before the command's process is created. */
  starting(): void;
  /**
   * Directly after it is created. Only for pipes: signals reach a command on its own terminal only
   * through us.
   */
  made(pid: number): void;
  /** `bytes` are valid only during the call. */
  output(channel: Channel, bytes: Uint8Array): void;
  /** The command was stopped, by Ctrl-Z or a signal. `resume` continues it. */
  stopped(signal: number): void;
  /** The command has ended. Output may still follow. */
  ended(ending: CommandEnd, usage: ResourceUsage): void;
  /** All queued input was written to the command. */
  inputDrained(): void;
}

/** Our end of the command's input. */
export type InputEnd =
  | { kind: "terminal"; master: number; slave: number }
  /** Our end of the stdin pipe, or the stdin shared with the command. */
  | { kind: "stdin"; fd: number };

export interface UnreadInput {
  /** The input that can be given to another terminal. */
  bytes: Uint8Array;
  /** The number of all known unread bytes, including lost ones. */
  count: number;
}

export interface Transport {
  readonly mode: TransportMode;
  /** The command's own process. */
  readonly pid: number;
  /** The start time as in /proc/PID/stat; null when it must be read there. */
  readonly startTime: number | null;
  /** Our own processes between the holder and the command. */
  readonly helpers: readonly number[];
  /** Bytes passed to `write` that the terminal or pipe has not accepted yet. */
  readonly pendingInput: number;
  /** Null once it is closed. */
  readonly inputEnd: InputEnd | null;
  write(bytes: Uint8Array): void;
  /**
   * The same for a few keys: also reads their echo, if it comes at once. Not callable from
   * `output`.
   */
  writeKey(bytes: Uint8Array): void;
  /**
   * Ends the input: by the end-of-file key on a terminal, else by closing the pipe after the queued
   * bytes.
   */
  endInput(): void;
  resize(size: TerminalSize): void;
  signal(signal: number, target: "command" | "group"): void;
  resume(): void;
  /**
   * A command in its terminal's background is stopped at its first use of it. On pipes it shares
   * our process group.
   */
  readonly isInBackground: boolean;
  moveTo(place: "foreground" | "background"): void;
  /**
   * While paused, output is not read, and the command blocks once the kernel's buffers are full.
   */
  pause(paused: boolean): void;
  /** The channel's reader is gone: the command's next write to it fails, as without holt. */
  closeChannel(channel: Channel): void;
  /** SIGCHLD: checks whether the command changed state. */
  childChanged(): void;
  /**
   * The signals that the terminal will send to the command for these keys; none while a shell's job
   * is in the foreground.
   */
  keySignals(bytes: Uint8Array): readonly number[];
  /** After the end, once: the input that was never read. */
  takeUnread(): UnreadInput;
  /** Reads the remaining output. False when a process still holds it open at the deadline. */
  drain(deadlineMs: number): Promise<boolean> | boolean;
  close(): void;
}
