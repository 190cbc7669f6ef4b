/** Bytes on their way to the command, in order. A command that does not read holds them back, never us. */
import { lastErrno, libc } from "../platform/libc.ts";
import { joined } from "../protocol/bytes.ts";
import { POLLOUT, poller, type Watch } from "../platform/poller.ts";

export class InputQueue {
  readonly #fd: number;
  readonly #watch: Watch;
  readonly #drained: () => void;
  readonly #queue: Uint8Array[] = [];
  #pending = 0;
  #lost = 0;
  #isStopped = false;
  #isBroken = false;

  /** `fd` must not block. */
  constructor(fd: number, drained: () => void) {
    this.#fd = fd;
    this.#drained = drained;
    this.#watch = poller().watch(fd, 0, () => this.#flush());
  }

  /** Nobody can read any more. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  get pending(): number {
    return this.#pending;
  }

  /** Bytes that were taken in and that no process can read any more. */
  get lost(): number {
    return this.#lost;
  }

  write(bytes: Uint8Array): void {
    if (this.#isStopped) this.#lost += bytes.length;
    if (bytes.length === 0 || this.#isStopped) return;
    // Mostly it is a key, and taken at once.
    const taken = this.#pending === 0 ? Math.max(0, Number(libc().write(this.#fd, bytes, bytes.length))) : 0;
    if (taken === bytes.length) return;
    this.#queue.push(bytes.slice(taken));
    this.#pending += bytes.length - taken;
    this.#flush();
  }

  /** What the terminal has not taken; nothing more will go to it. */
  takeBack(): Uint8Array {
    const rest = joined(this.#queue);
    this.#forget();
    this.stop();
    return rest;
  }

  #flush(): void {
    const before = this.#pending;
    for (let head = this.#queue[0]; head !== undefined; head = this.#queue[0]) {
      const written = Number(libc().write(this.#fd, head, BigInt(head.length)));
      if (written < 0) {
        const errno = lastErrno();
        if (errno === "EINTR") continue;
        if (errno === "EAGAIN") break;
        this.#isBroken = true;
        this.#discard(); // the terminal is gone, and with it whoever could have read this
        break;
      }
      this.#pending -= written;
      if (written < head.length) this.#queue[0] = head.subarray(written);
      else this.#queue.shift();
    }
    this.#watch.want(this.#pending > 0 ? POLLOUT : 0);
    if (before > 0 && this.#pending === 0) this.#drained();
  }

  #discard(): void {
    this.#lost += this.#pending;
    this.#forget();
  }

  #forget(): void {
    this.#queue.length = 0;
    this.#pending = 0;
  }

  stop(): void {
    this.#isStopped = true;
    this.#discard();
    this.#watch.stop();
  }
}
