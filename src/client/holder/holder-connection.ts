/**
 * A connection to a holder's socket, as a bounded stream of frames.
 *
 * Frames that the consumer has not taken are kept here, up to QUEUE_BYTES; then the socket is
 * paused, the kernel's buffer fills, and the holder lets this follower lag on disk. Closing from
 * either side ends the stream; it never throws.
 */
import { HoltError, isErrorCode } from "../../protocol/types/errors.ts";
import type { Frame } from "../../protocol/wire/frames.ts";
import { HolderFrames } from "./holder-frames.ts";

const QUEUE_BYTES = 256 * 1024;

export class HolderConnection implements Disposable {
  readonly #signal: AbortSignal;
  readonly #queue: Frame[] = [];
  #frames: HolderFrames | null = null;
  #queuedBytes = 0;
  #isPaused = false;
  #isClosed = false;
  #wake: () => void = () => {};

  private constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /**
   * EDENIED if the socket may belong to another user; null if no holder listens. `signal` closes
   * the connection.
   */
  static async dial(path: string, signal: AbortSignal): Promise<HolderConnection | null> {
    const connection = new HolderConnection(signal);
    connection.#frames = await HolderFrames.dial(path, {
      frame: (frame) => connection.#receive(frame),
      closed: () => connection.#onClosed(),
      sent: () => connection.onSent(),
    });
    if (connection.#frames === null) return null;
    signal.addEventListener("abort", connection.#close);
    if (signal.aborted) connection.#close();
    return connection;
  }

  /** Keeps the order, and queues what the holder does not accept yet. */
  send(frame: Uint8Array): void {
    this.#frames?.send(frame);
  }

  get isSent(): boolean {
    return this.#frames?.unsentBytes === 0;
  }

  /** Called each time the queue of unsent bytes becomes empty. */
  onSent: () => void = () => {};

  /** Null at the end. */
  async next(): Promise<Frame | null> {
    while (this.#queue.length === 0 && !this.#isClosed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const frame = this.#signal.aborted ? undefined : this.#queue.shift();
    if (frame === undefined) return null;
    this.#queuedBytes -= frame.payload.length;
    if (this.#isPaused && this.#queuedBytes < QUEUE_BYTES / 2) this.#pause(false);
    return frame;
  }

  [Symbol.dispose](): void {
    this.#close();
  }

  readonly #close = (): void => {
    this.#signal.removeEventListener("abort", this.#close);
    this.#frames?.[Symbol.dispose]();
  };

  #receive(frame: Frame): void {
    this.#queue.push(frame);
    this.#queuedBytes += frame.payload.length;
    if (this.#queuedBytes > QUEUE_BYTES && !this.#isPaused) this.#pause(true);
    this.#wake();
  }

  #pause(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.#frames?.pause(isPaused);
  }

  #onClosed(): void {
    this.#isClosed = true;
    this.#wake();
  }
}

export function errorFromFrame({ code, message, hint }: Record<string, unknown>): HoltError {
  const known = isErrorCode(code) ? code : "EINTERNAL";
  return new HoltError(known, String(message), typeof hint === "string" ? { hint } : {});
}
