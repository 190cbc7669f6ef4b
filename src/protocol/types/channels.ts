/**
 * Named channels: output beside stdout, stderr and the terminal, captured in the transcript under
 * its own name.
 */

export const CHANNEL_FORMATS = ["raw", "lines", "json", "jsonl"] as const;
export const CHANNEL_SOURCES = ["fd", "file", "socket", "structured"] as const;

export interface ChannelSpec {
  name: string;
  /** The form in which a client reads it back. */
  format: (typeof CHANNEL_FORMATS)[number];
  /**
   * - `fd`: a descriptor; HOLT_CHANNEL_NAME_FD has its number
   * - `file`: bytes appended to a file; HOLT_CHANNEL_NAME_PATH has its path
   * - `socket`: bytes written to a unix socket; HOLT_CHANNEL_NAME_SOCKET has its path
   * - `structured`: stdout itself, parsed
   */
  source: (typeof CHANNEL_SOURCES)[number];
  /** For source `file`: absolute, or relative to the command's directory. */
  path: string | null;
}

/** Commands get descriptors 3 to 9. */
export const FIRST_CHANNEL_FD = 3;
export const MAX_CHANNELS = 7;

const NAME = /^[a-z][a-z0-9_]{0,31}$/;
const RESERVED: readonly string[] = ["pty", "stdout", "stderr"];

/** Accepts names that need no quoting in a shell or a path and that holt does not use itself. */
export function isChannelName(name: string): boolean {
  return NAME.test(name) && !RESERVED.includes(name);
}

/** "HOLT_CHANNEL_LOGS_FD" */
export function channelVariable(name: string, what: "FD" | "PATH" | "SOCKET"): string {
  return `HOLT_CHANNEL_${name.toUpperCase()}_${what}`;
}
