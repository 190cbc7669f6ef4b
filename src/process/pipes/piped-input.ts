/**
 * Writes to the pipe that is a command's stdin, and closes it at the end of the input. The queue is
 * that of terminals: it serves any non-blocking descriptor.
 */
import { closerOf } from "../../platform/fs/descriptors.ts";
import { readableBytes } from "../../platform/tty/terminal-device.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import { InputQueue } from "../pty/input-queue.ts";

export class PipedInput {
  readonly fd: number;
  readonly #queue: InputQueue;
  readonly #closeEnd: () => void;
  #endRequested = false;
  #isClosed = false;

  /** `writeEnd` must be non-blocking. */
  constructor(writeEnd: number, drained: () => void) {
    this.fd = writeEnd;
    this.#closeEnd = closerOf(writeEnd);
    this.#queue = new InputQueue(writeEnd, () => {
      if (this.#endRequested) this.close();
      drained();
    });
  }

  get pending(): number {
    return this.#queue.pending;
  }

  /**
   * Bytes written but not read. On the write end too, `readableBytes` counts what is in the pipe.
   * After the pipe is closed, only the bytes that never entered it are known.
   */
  get unread(): number {
    const { pending, lost } = this.#queue;
    return pending + lost + (this.#isClosed ? 0 : readableBytes(this.fd));
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  write(bytes: Uint8Array): void {
    if (this.#endRequested) throw new HoltError("ESESSIONCLOSED", "stdin is closed: an end of file was sent before");
    this.#queue.write(bytes);
    if (this.#queue.isBroken) throw new HoltError("ESESSIONCLOSED", "the command has closed its stdin");
  }

  /**
   * Writes `bytes` and ends the input. Unlike `write`, does not throw where the command has closed
   * its stdin: the bytes count as unread.
   */
  writeAndEnd(bytes: Uint8Array): void {
    this.#queue.write(bytes);
    this.end();
  }

  /** Closes the pipe after the queued bytes. */
  end(): void {
    this.#endRequested = true;
    if (this.pending === 0) this.close();
  }

  close(): void {
    this.#isClosed = true;
    this.#queue.stop();
    this.#closeEnd();
  }
}
