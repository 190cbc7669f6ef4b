/** A pipe that is a command's stdin: what is written goes there in order, and then perhaps its end. */
import { closerOf } from "../../platform/fs/descriptors.ts";
import { readableBytes } from "../../platform/tty/terminal-device.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import { InputQueue } from "../pty/input-queue.ts";

export class PipedInput {
  readonly fd: number;
  readonly #queue: InputQueue;
  readonly #closeEnd: () => void;
  #hasEnd = false;
  #isClosed = false;

  /** `writeEnd` must not block. */
  constructor(writeEnd: number, drained: () => void) {
    this.fd = writeEnd;
    this.#closeEnd = closerOf(writeEnd);
    this.#queue = new InputQueue(writeEnd, () => {
      if (this.#hasEnd) this.close();
      drained();
    });
  }

  get pending(): number {
    return this.#queue.pending;
  }

  /** Bytes that were written and not read. Once the pipe's end was sent, only the bytes that did not fit into it are known. */
  get unread(): number {
    const { pending, lost } = this.#queue;
    return pending + lost + (this.#isClosed ? 0 : readableBytes(this.fd));
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  write(bytes: Uint8Array): void {
    if (this.#hasEnd)
      throw new HoltError("ESESSIONCLOSED", "its stdin was closed by an end of file that was sent before");
    this.#queue.write(bytes);
    if (this.#queue.isBroken) throw new HoltError("ESESSIONCLOSED", "the command has closed its stdin");
  }

  /** That, and then the end. A command that does not want it is nobody's mistake. */
  writeAll(bytes: Uint8Array): void {
    this.#queue.write(bytes);
    this.end();
  }

  /** After what is on its way. */
  end(): void {
    this.#hasEnd = true;
    if (this.pending === 0) this.close();
  }

  close(): void {
    this.#isClosed = true;
    this.#queue.stop();
    this.#closeEnd();
  }
}
