/** Writes the command's channels to the user's stdout and stderr. The slower one sets the pace. */
import type { Channel } from "../../protocol/types/session.ts";
import { PAUSE_ABOVE, PacedOutput } from "../../platform/tty/paced-output.ts";

export interface UserOutputsEvents {
  /** Too much output waits for the user, or no longer. */
  paused(paused: boolean): void;
  /** The channel has no reader any more. */
  closed(channel: Channel): void;
}

/** Errors of a closed pipe and a closed terminal; every other one is reported. */
const CLOSED_ERRNOS: readonly string[] = ["EPIPE", "EIO"];

export class UserOutputs {
  readonly #outputs = new Map<Channel, PacedOutput>();
  readonly #events: UserOutputsEvents;
  #refusal: { channel: Channel; errno: string } | null = null;

  constructor(channels: readonly (readonly [Channel, number])[], events: UserOutputsEvents) {
    this.#events = events;
    for (const [channel, fd] of channels) {
      const output = new PacedOutput(fd, {
        drained: () => this.#pace(),
        closed: (errno) => this.#closed(channel, errno),
      });
      this.#outputs.set(channel, output);
    }
  }

  /** The first write error: for example, stdout is redirected to a full disk. */
  get refusal(): { channel: Channel; errno: string } | null {
    return this.#refusal;
  }

  /** `bytes` are valid only during the call. */
  write(channel: Channel, bytes: Uint8Array): void {
    const output = this.#outputs.get(channel);
    output?.write(bytes);
    if (output !== undefined && output.pending > PAUSE_ABOVE) this.#events.paused(true);
  }

  /** Resolves when all output is written, or cannot be written any more. */
  async flushed(): Promise<void> {
    for (const output of this.#outputs.values()) await output.flushed();
  }

  /** Drops the output that the user did not read. */
  close(): void {
    for (const output of this.#outputs.values()) output.close();
    this.#pace();
  }

  #closed(channel: Channel, errno: string): void {
    if (!CLOSED_ERRNOS.includes(errno)) this.#refusal ??= { channel, errno };
    this.#events.closed(channel);
    this.#pace(); // the closed output may have been the slow one
  }

  #pace(): void {
    this.#events.paused([...this.#outputs.values()].some(({ pending }) => pending > PAUSE_ABOVE));
  }
}
