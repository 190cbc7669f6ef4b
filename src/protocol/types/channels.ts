/** Named channels: what a command says beside what it prints, each captured in the transcript under its name. */

export const CHANNEL_FORMATS = ["raw", "lines", "json", "jsonl"] as const;
export const CHANNEL_SOURCES = ["fd", "file", "socket", "structured"] as const;

export interface ChannelSpec {
  name: string;
  /** How it is given back. */
  format: (typeof CHANNEL_FORMATS)[number];
  /**
   * `fd`: a descriptor of the command's, whose number HOLT_CHANNEL_NAME_FD tells; `file`: what is added to a file, HOLT_CHANNEL_NAME_PATH; `socket`: what is
   * written to a unix socket, HOLT_CHANNEL_NAME_SOCKET; `structured`: stdout itself, parsed.
   */
  source: (typeof CHANNEL_SOURCES)[number];
  /** Of a file: absolute, or relative to the command's directory. */
  path: string | null;
}

/** A command is given descriptors 3 to 9. */
export const FIRST_CHANNEL_FD = 3;
export const MAX_CHANNELS = 7;

const NAME = /^[a-z][a-z0-9_]{0,31}$/;
const RESERVED: readonly string[] = ["pty", "stdout", "stderr"];

/** A name that needs no quoting anywhere, and is none of ours. */
export function isChannelName(name: string): boolean {
  return NAME.test(name) && !RESERVED.includes(name);
}

/** "HOLT_CHANNEL_LOGS_FD" */
export function channelVariable(name: string, what: "FD" | "PATH" | "SOCKET"): string {
  return `HOLT_CHANNEL_${name.toUpperCase()}_${what}`;
}
