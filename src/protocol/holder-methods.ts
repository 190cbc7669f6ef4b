/** What a holder can be asked for on its socket (frames.ts, REQUEST), beside its output. */

export interface HolderMethods {
  /** Bytes for the command, base64. Answered when they are accepted, in the order of the requests. */
  input: { params: { data: string }; result: { bytes_written: number } };
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

export type HolderMethod = keyof HolderMethods;

export const HOLDER_METHODS: readonly HolderMethod[] = ["input", "resize", "signal", "stop", "kill", "rename"];

/** With EBUSY: there is no command yet that could be acted on. Whoever asked asks again. */
export const STARTING = "the session is starting";

/** Base64 of this still fits into a frame. */
export const MAX_INPUT_BYTES = 512 * 1024;
export const MAX_DIMENSION = 65_535;
export const MAX_GRACE_MS = 600_000;
