/** What a command, and each process that it starts, may use at most, as the kernel counts it (setrlimit(2)). Null: as much as whoever started it. */
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
}

export const NO_LIMITS: Limits = {
  cpu_ms: null,
  memory_bytes: null,
  files: null,
  processes: null,
  file_size_bytes: null,
};

/** As people write them on the command line, in the order in which help has them. */
export const LIMIT_WORDS = ["cpu", "memory", "files", "processes", "file-size"] as const;
