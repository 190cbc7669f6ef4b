/** A command on a terminal or on pipes, behind one interface. */
import type { KernelLimit } from "../platform/process/limits.ts";
import type { ResourceUsage } from "../platform/process/wait.ts";
import type { Channel, TerminalSize, TransportMode } from "../protocol/types/session.ts";

export interface SpawnSpec {
  path: Uint8Array;
  argv: readonly Uint8Array[];
  env: readonly Uint8Array[];
  /** Descriptors beyond 0, 1 and 2 that whoever started us meant for the command. */
  inherited: readonly number[];
  /** More of them, that are ours: the command's number → ours. */
  extra?: ReadonlyMap<number, number>;
  /** Set for the command alone. */
  limits: readonly KernelLimit[];
  /** Signals that the caller ignores, and so the command. Left out: none but what is ignored here. */
  ignored?: readonly number[];
  /** Ours: the cgroup.procs of the control group that it is to be in. Left out or null: it stays in ours. */
  group?: number | null;
}

export type CommandEnd = { kind: "exited"; code: number } | { kind: "signaled"; signal: number };

export interface TransportEvents {
  /** The very last moment before there is a command. */
  starting(): void;
  /** The very first moment with one. Not told of a command on a terminal of its own, which no signal reaches but through us. */
  made(pid: number): void;
  /** `bytes` are lent for the call only. */
  output(channel: Channel, bytes: Uint8Array): void;
  /** The command was stopped, by Ctrl-Z or by somebody. `resume` continues it. */
  stopped(signal: number): void;
  /** The command itself has ended; output may still be on its way. */
  ended(ending: CommandEnd, usage: ResourceUsage): void;
  /** Input that was held back has gone to the command. */
  inputDrained(): void;
}

/** Our side of what the command reads. */
export type InputEnd =
  | { kind: "terminal"; master: number; slave: number }
  /** The end of a pipe, or the stdin that it shares with us. */
  | { kind: "stdin"; fd: number };

export interface UnreadInput {
  /** The part of it that can be given to another terminal. */
  bytes: Uint8Array;
  /** All of it that can be told. */
  count: number;
}

export interface Transport {
  readonly mode: TransportMode;
  /** The command's own process. */
  readonly pid: number;
  /** When it was made, as in /proc/PID/stat; null where that is to be looked up there. */
  readonly startTime: number | null;
  /** Processes of ours that stand between the holder and the command. */
  readonly helpers: readonly number[];
  /** Bytes accepted by `write` that the command's terminal has not taken yet. */
  readonly pendingInput: number;
  /** Null once it is closed. */
  readonly inputEnd: InputEnd | null;
  write(bytes: Uint8Array): void;
  /** The same for a key or two: their echo is read here, if it comes at once. Not from within `output`. */
  writeKey(bytes: Uint8Array): void;
  /** Nothing more will come: as a key where there is a terminal, else once what was written has been taken. */
  endInput(): void;
  resize(size: TerminalSize): void;
  signal(signal: number, target: "command" | "group"): void;
  resume(): void;
  /** Behind, a command on a terminal is stopped at its first use of it, as a shell's background job. On pipes it shares our own place. */
  readonly isInBackground: boolean;
  moveTo(place: "foreground" | "background"): void;
  /** While paused nothing is read, so the command blocks once the kernel's buffers are full. */
  pause(paused: boolean): void;
  /** Whoever reads this channel has gone: the command's next write to it fails as it would without us. */
  closeChannel(channel: Channel): void;
  /** A child changed state: look whether it was ours. */
  childChanged(): void;
  /** The signals that these keys are about to become for the command itself (not for a job of a shell that it is). */
  keySignals(bytes: Uint8Array): readonly number[];
  /** After the end, once: what was typed and never read. */
  takeUnread(): UnreadInput;
  /** Reads what is there. True when everything was read to the end, false when something still held it open at the deadline. */
  drain(deadlineMs: number): Promise<boolean> | boolean;
  close(): void;
}
