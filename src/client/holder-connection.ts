/**
 * A connection to a holder's socket, as a bounded stream of frames.
 *
 * What the consumer has not taken is kept here, up to QUEUE_BYTES; then the socket is paused, the kernel's buffer fills
 * and the holder lets this follower lag on disk. Closing from any side ends the stream; it never throws.
 */
import { connectOwn } from "../platform/own-connection.ts";
import { HoltError, isErrorCode } from "../protocol/errors.ts";
import { type Frame, FrameParser } from "../protocol/frames.ts";
import { isUnsafePlace } from "../protocol/unsafe-place.ts";
import { Unsent } from "../platform/unsent.ts";

const QUEUE_BYTES = 256 * 1024;

export class HolderConnection implements Disposable {
  readonly #parser = new FrameParser();
  readonly #signal: AbortSignal;
  readonly #queue: Frame[] = [];
  readonly #unsent = new Unsent((bytes) => this.#socket?.write(bytes) ?? -1);
  #socket: Bun.Socket | null = null;
  #queuedBytes = 0;
  #paused = false;
  #closed = false;
  #wake: () => void = () => {};

  private constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** EDENIED where another user's process may listen there. Null when no process listens there. `signal` closes the connection. */
  static async dial(path: string, signal: AbortSignal): Promise<HolderConnection | null> {
    const connection = new HolderConnection(signal);
    try {
      connection.#socket = await connectOwn(path, {
        data: (_socket, bytes) => connection.#receive(bytes),
        drain: () => connection.#drain(),
        close: () => connection.#end(),
        error: () => connection.#end(),
      });
    } catch (error) {
      if (isUnsafePlace(error)) throw error;
    }
    if (connection.#socket === null) return null;
    signal.addEventListener("abort", connection.#close);
    if (signal.aborted) connection.#close();
    return connection;
  }

  /** In order; what the holder does not take yet is kept. */
  send(frame: Uint8Array): void {
    if (this.#unsent.send(frame)) this.sent();
  }

  /** Whether the holder has taken everything. */
  get isSent(): boolean {
    return this.#unsent.length === 0;
  }

  /** Called once everything is sent again. */
  sent: () => void = () => {};

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

  #drain(): void {
    if (this.#unsent.drain()) this.sent();
  }

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

/** What an ERROR frame says. */
export function refusal({ code, message, hint }: Record<string, unknown>): HoltError {
  const known = isErrorCode(code) ? code : "EINTERNAL";
  return new HoltError(known, String(message), typeof hint === "string" ? { hint } : {});
}
