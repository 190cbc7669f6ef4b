import type { Channel } from "../protocol/session.ts";

/** Whoever looks on while a command is started and prints: a person's terminal (foreground.ts), or nobody (launcher.ts). */
export interface Onlooker {
  /** The command is about to be made. */
  starting(): void;
  /** It was, this moment, and in our process group. */
  made(pid: number): void;
  /** It runs, and its record says so. */
  running(): void;
  /** `bytes` are lent for the call, and in the transcript already. */
  output(channel: Channel, bytes: Uint8Array): void;
  stopped(signal: number): void;
  inputDrained(): void;
}
