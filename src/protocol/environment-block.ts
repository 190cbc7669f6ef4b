/** An environment as execve(2) takes it: entries one behind the other, each with its NUL, and where each begins. */
export interface EnvironmentBlock {
  bytes: Uint8Array;
  starts: readonly number[];
}

/** TERM of a terminal of ours, where the caller says none: what its sequences are understood as. */
export const DEFAULT_TERMINAL = "xterm-256color";

export function blockOf(entries: readonly Uint8Array[]): EnvironmentBlock {
  let length = 0;
  for (const entry of entries) length += entry.length + 1;
  const bytes = new Uint8Array(length);
  const starts: number[] = [];
  let at = 0;
  for (const entry of entries) {
    starts.push(at);
    bytes.set(entry, at);
    at += entry.length + 1;
  }
  return { bytes, starts };
}
