/**
 * Queues input bytes for the command without blocking: a command that does not read delays only
 * them.
 */
import { lastErrno, libc } from "../../platform/native/libc.ts";
import { joined } from "../../protocol/types/bytes.ts";
import { POLLOUT, poller, type Watch } from "../../platform/native/poller.ts";
import { WriteQueue } from "../../platform/sockets/write-queue.ts";

export class InputQueue {
  readonly #fd: number;
  readonly #watch: Watch;
  readonly #drained: () => void;
  readonly #unsent = new WriteQueue((bytes) => this.#write(bytes));
  #lost = 0;
  #isStopped = false;
  #isBroken = false;

  /** `fd` must be non-blocking. */
  constructor(fd: number, drained: () => void) {
    this.#fd = fd;
    this.#drained = drained;
    this.#watch = poller().watch(fd, 0, () => this.#flush());
  }

  /** No process can read the input any more. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  get pending(): number {
    return this.#unsent.length;
  }

  /** Accepted bytes that no process can read any more. */
  get lost(): number {
    return this.#lost;
  }

  write(bytes: Uint8Array): void {
    if (this.#isStopped) this.#lost += bytes.length;
    if (bytes.length === 0 || this.#isStopped) return;
    if (!this.#unsent.send(bytes, "lent")) this.#waitForRoom();
  }

  /** Removes and returns the bytes not yet written, and stops. */
  takeBack(): Uint8Array {
    const rest = joined(this.#unsent.take());
    this.stop();
    return rest;
  }

  #flush(): void {
    const before = this.pending; // 0 at a hang-up, which poll(2) reports without being asked to
    this.#unsent.drain();
    this.#waitForRoom();
    if (before > 0 && this.pending === 0) this.#drained();
  }

  #waitForRoom(): void {
    if (this.#isBroken) this.#discard(); // the terminal is gone, and so are all readers
    this.#watch.want(this.pending > 0 ? POLLOUT : 0);
  }

  #write(bytes: Uint8Array): number {
    for (;;) {
      const written = Number(libc().write(this.#fd, bytes, bytes.length));
      if (written >= 0) return written;
      const errno = lastErrno();
      if (errno === "EINTR") continue;
      if (errno !== "EAGAIN") this.#isBroken = true;
      return 0;
    }
  }

  #discard(): void {
    this.#lost += this.pending;
    this.#unsent.take();
  }

  stop(): void {
    this.#isStopped = true;
    this.#discard();
    this.#watch.stop();
  }
}
