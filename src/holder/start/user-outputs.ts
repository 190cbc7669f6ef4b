/** Where the command's channels go: the person's own stdout and stderr. The slower of the two sets the pace. */
import type { Channel } from "../../protocol/types/session.ts";
import { PAUSE_ABOVE, PacedOutput } from "../../platform/tty/paced-output.ts";

export interface UserOutputsEvents {
  /** Too much is waiting for the person, or no longer. */
  paused(paused: boolean): void;
  /** Nobody reads the channel any more. */
  closed(channel: Channel): void;
}

/** What a closed pipe and a closed terminal say; anything else is a failure to be told. */
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

  /** The first that the system refused to take: a full disk behind a redirection, say. */
  get refusal(): { channel: Channel; errno: string } | null {
    return this.#refusal;
  }

  /** `bytes` are lent for the call. */
  write(channel: Channel, bytes: Uint8Array): void {
    const output = this.#outputs.get(channel);
    output?.write(bytes);
    if (output !== undefined && output.pending > PAUSE_ABOVE) this.#events.paused(true);
  }

  /** Resolves when everything has gone out, or can no longer go. */
  async flushed(): Promise<void> {
    for (const output of this.#outputs.values()) await output.flushed();
  }

  /** What the person did not take is given up. */
  close(): void {
    for (const output of this.#outputs.values()) output.close();
    this.#pace();
  }

  #closed(channel: Channel, errno: string): void {
    if (!CLOSED_ERRNOS.includes(errno)) this.#refusal ??= { channel, errno };
    this.#events.closed(channel);
    this.#pace(); // it may have been this one that held up the other
  }

  #pace(): void {
    this.#events.paused([...this.#outputs.values()].some(({ pending }) => pending > PAUSE_ABOVE));
  }
}
