/**
 * A connection to a holder's socket, as a bounded stream of frames.
 *
 * What the consumer has not taken is kept here, up to QUEUE_BYTES; then the socket is paused, the kernel's buffer fills
 * and the holder lets this follower lag on disk. Closing from any side ends the stream; it never throws.
 */
import { type Frame, FrameParser } from "../protocol/frames.ts";

const QUEUE_BYTES = 256 * 1024;

export class HolderConnection implements Disposable {
  readonly #parser = new FrameParser();
  readonly #signal: AbortSignal;
  readonly #queue: Frame[] = [];
  #socket: Bun.Socket | null = null;
  #queuedBytes = 0;
  #paused = false;
  #closed = false;
  #wake: () => void = () => {};

  private constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Null when nobody listens there. `signal` closes the connection. */
  static async dial(path: string, signal: AbortSignal): Promise<HolderConnection | null> {
    const connection = new HolderConnection(signal);
    try {
      connection.#socket = await Bun.connect({
        unix: path,
        socket: {
          data: (_socket, bytes) => connection.#receive(bytes),
          close: () => connection.#end(),
          error: () => connection.#end(),
        },
      });
    } catch {
      return null;
    }
    signal.addEventListener("abort", connection.#close);
    if (signal.aborted) connection.#close();
    return connection;
  }

  send(frame: Uint8Array): void {
    this.#socket?.write(frame);
  }

  /** The next frame; null at the end. */
  async next(): Promise<Frame | null> {
    while (this.#queue.length === 0 && !this.#closed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const frame = this.#signal.aborted ? undefined : this.#queue.shift();
    if (frame === undefined) return null;
    this.#queuedBytes -= frame.payload.length;
    if (this.#paused && this.#queuedBytes < QUEUE_BYTES / 2) {
      this.#paused = false;
      this.#socket?.resume();
    }
    return frame;
  }

  [Symbol.dispose](): void {
    this.#close();
  }

  readonly #close = (): void => {
    this.#signal.removeEventListener("abort", this.#close);
    this.#socket?.terminate();
    this.#end();
  };

  #receive(bytes: Uint8Array): void {
    try {
      for (const frame of this.#parser.push(bytes)) {
        this.#queue.push(frame);
        this.#queuedBytes += frame.payload.length;
      }
    } catch {
      this.#close(); // not the protocol
    }
    if (this.#queuedBytes > QUEUE_BYTES && !this.#paused) {
      this.#paused = true;
      this.#socket?.pause();
    }
    this.#wake();
  }

  #end(): void {
    this.#closed = true;
    this.#wake();
  }
}
