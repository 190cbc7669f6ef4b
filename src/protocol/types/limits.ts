/**
 * Resource limits of a session: for the command and each process that it starts (setrlimit(2)), and
 * for all of them together (a control group). Null sets none: what the command inherits from the
 * process that starts the session still applies.
 */
export interface Limits {
  /** Processor time. The kernel counts whole seconds. */
  cpu_ms: number | null;
  /** Address space, used or not. */
  memory_bytes: number | null;
  /** Descriptors open at once. */
  files: number | null;
  /**
   * Processes of this user. The kernel counts those outside the session too, and on Linux threads
   * (RLIMIT_NPROC).
   */
  processes: number | null;
  /** Size of any file that the command writes. */
  file_size_bytes: number | null;
  /** Memory in use by all processes of the session together. */
  session_memory_bytes: number | null;
  /** Processes of the session at once, threads included. */
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

/** Whether a limit is set that only a control group can enforce. */
export function needsGroup(limits: Limits | null | undefined): boolean {
  return (limits?.session_memory_bytes ?? null) !== null || (limits?.session_processes ?? null) !== null;
}

/** Names on the command line, in the order of the help text. */
export const LIMIT_WORDS = [
  "cpu",
  "memory",
  "files",
  "processes",
  "file-size",
  "session-memory",
  "session-processes",
] as const;
