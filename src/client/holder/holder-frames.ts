/**
 * The frames of a holder's socket, passed to the receiver as they arrive. Use `pause` for
 * backpressure: the kernel's buffer fills, and the holder lets this client lag. To read
 * frames one at a time, use holder-connection.ts.
 */
import { connectOwn } from "../../platform/sockets/own-connection.ts";
import { POLLHUP, pollNow } from "../../platform/native/poller.ts";
import { type Frame, FrameParser } from "../../protocol/wire/frames.ts";
import { isUnsafePathError } from "../../protocol/wire/unsafe-path.ts";
import { WriteQueue } from "../../platform/sockets/write-queue.ts";

export interface FrameReceiver {
  frame(frame: Frame): void;
  /** Closed by either side. */
  closed(): void;
  /** The holder has accepted everything that was sent. */
  sent?(): void;
}

export class HolderFrames implements Disposable {
  readonly #parser = new FrameParser();
  readonly #receiver: FrameReceiver;
  readonly #unsent = new WriteQueue((bytes) => this.#socket?.write(bytes) ?? -1);
  #socket: Bun.Socket | null = null;
  #isClosed = false;

  private constructor(receiver: FrameReceiver) {
    this.#receiver = receiver;
  }

  /** EDENIED if the socket may belong to another user; null if no holder listens. */
  static async dial(path: string, receiver: FrameReceiver): Promise<HolderFrames | null> {
    const frames = new HolderFrames(receiver);
    try {
      frames.#socket = await connectOwn(path, {
        data: (_socket, bytes) => frames.#receive(bytes),
        drain: () => {
          if (frames.#unsent.drain()) receiver.sent?.();
        },
        close: () => frames.#onClosed(),
        error: () => frames.#onClosed(),
      });
    } catch (error) {
      if (isUnsafePathError(error)) throw error;
    }
    if (frames.#socket === null) return null;
    return frames;
  }

  /** Keeps the order, and queues what the holder does not accept yet. */
  send(frame: Uint8Array): void {
    if (this.#unsent.send(frame)) this.#receiver.sent?.();
  }

  get unsentBytes(): number {
    return this.#unsent.length;
  }

  /**
   * True if the holder closed the connection. Bun reports that only while the socket is read, so a
   * paused socket is polled.
   */
  get isHungUp(): boolean {
    const { fd = -1 } = (this.#socket ?? {}) as { fd?: number };
    return this.#isClosed || fd < 0 || (pollNow(fd, 0) & POLLHUP) !== 0;
  }

  pause(isPaused: boolean): void {
    if (isPaused) this.#socket?.pause();
    else this.#socket?.resume();
  }

  [Symbol.dispose](): void {
    this.#socket?.terminate();
    this.#onClosed();
  }

  #receive(bytes: Uint8Array): void {
    let frames: Frame[];
    try {
      frames = this.#parser.push(bytes);
    } catch {
      return this[Symbol.dispose](); // not the holder's protocol
    }
    for (const frame of frames) if (!this.#isClosed) this.#receiver.frame(frame);
  }

  #onClosed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#receiver.closed();
  }
}
