/**
 * The frames of a holder's socket, each handed on the moment it is here: for whoever passes them on. What the other side has no room for stays in the kernel's buffer
 * (`pause`), and the holder lets this client lag. Who takes frames one at a time has holder-connection.ts.
 */
import { POLLHUP, pollNow } from "../platform/poller.ts";
import { type Frame, FrameParser } from "../protocol/frames.ts";

export interface FrameReceiver {
  frame(frame: Frame): void;
  /** By either side. */
  closed(): void;
}

export class HolderFrames implements Disposable {
  readonly #parser = new FrameParser();
  readonly #receiver: FrameReceiver;
  readonly #unsent: Uint8Array[] = [];
  #socket: Bun.Socket | null = null;
  #isOver = false;

  private constructor(receiver: FrameReceiver) {
    this.#receiver = receiver;
  }

  /** Null when nobody listens there. */
  static async dial(path: string, receiver: FrameReceiver): Promise<HolderFrames | null> {
    const frames = new HolderFrames(receiver);
    try {
      frames.#socket = await Bun.connect({
        unix: path,
        socket: {
          data: (_socket, bytes) => frames.#receive(bytes),
          drain: () => frames.#drain(),
          close: () => frames.#end(),
          error: () => frames.#end(),
        },
      });
    } catch {
      return null;
    }
    return frames;
  }

  /** In order; what the holder does not take yet is kept. */
  send(frame: Uint8Array): void {
    this.#unsent.push(frame);
    if (this.#unsent.length === 1) this.#drain();
  }

  /** Of what it has not taken. */
  get unsentBytes(): number {
    return this.#unsent.reduce((sum, { length }) => sum + length, 0);
  }

  /** Whether the holder has closed it. The runtime tells that only of one that is read: of one that is paused, it is looked for. */
  get isHungUp(): boolean {
    const { fd = -1 } = (this.#socket ?? {}) as { fd?: number };
    return this.#isOver || fd < 0 || (pollNow(fd, 0) & POLLHUP) !== 0;
  }

  pause(isPaused: boolean): void {
    if (isPaused) this.#socket?.pause();
    else this.#socket?.resume();
  }

  [Symbol.dispose](): void {
    this.#socket?.terminate();
    this.#end();
  }

  #receive(bytes: Uint8Array): void {
    let frames: Frame[];
    try {
      frames = this.#parser.push(bytes);
    } catch {
      return this[Symbol.dispose](); // not the protocol
    }
    for (const frame of frames) if (!this.#isOver) this.#receiver.frame(frame);
  }

  #drain(): void {
    for (let head = this.#unsent[0]; head !== undefined; head = this.#unsent[0]) {
      const written = this.#socket?.write(head) ?? -1;
      if (written < 0) return; // closing
      if (written < head.length) {
        this.#unsent[0] = head.subarray(written);
        return;
      }
      this.#unsent.shift();
    }
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#receiver.closed();
  }
}
