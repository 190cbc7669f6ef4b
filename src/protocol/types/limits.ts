/**
 * What a command, and each process that it starts, may use at most, as the kernel counts it (setrlimit(2)); and what all of them together may, which takes
 * a control group. Null: as much as whoever started it.
 */
export interface Limits {
  /** Of processor time. The kernel counts whole seconds. */
  cpu_ms: number | null;
  /** Of addresses, used or not. */
  memory_bytes: number | null;
  /** Open at once. */
  files: number | null;
  /** Of this user, also those that are none of the session's. */
  processes: number | null;
  /** Of any file that it writes. */
  file_size_bytes: number | null;
  /** In use by all of the session's processes together. */
  session_memory_bytes: number | null;
  /** Of the session, at once, threads included. */
  session_processes: number | null;
}

export const NO_LIMITS: Limits = {
  cpu_ms: null,
  memory_bytes: null,
  files: null,
  processes: null,
  file_size_bytes: null,
  session_memory_bytes: null,
  session_processes: null,
};

/** Those that only a control group can set. */
export function needsGroup(limits: Limits | null | undefined): boolean {
  return (limits?.session_memory_bytes ?? null) !== null || (limits?.session_processes ?? null) !== null;
}

/** As people write them on the command line, in the order in which help has them. */
export const LIMIT_WORDS = [
  "cpu",
  "memory",
  "files",
  "processes",
  "file-size",
  "session-memory",
  "session-processes",
] as const;
