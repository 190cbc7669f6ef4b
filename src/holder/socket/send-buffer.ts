/** Frames on their way to one connection, and what its socket has not taken yet. */
import type { Socket } from "bun";
import { WriteQueue } from "../../platform/sockets/write-queue.ts";

/** Past this, whoever it is lags on disk, not in our memory. */
const MAX_UNSENT = 1024 * 1024;
/** For the last of it, after which nobody waits for whoever does not take it. */
const LAST_MS = 10_000;

export class SendBuffer {
  readonly #socket: Socket<unknown>;
  readonly #unsent = new WriteQueue((bytes) => this.#write(bytes));
  #progressAt = performance.now();
  /** Nothing comes after what is unsent. */
  #ending: ReturnType<typeof setTimeout> | null = null;

  constructor(socket: Socket<unknown>) {
    this.#socket = socket;
  }

  /** It does not take what it is sent. */
  get isFull(): boolean {
    return this.#unsent.length >= MAX_UNSENT;
  }

  get isEmpty(): boolean {
    return this.#unsent.length === 0;
  }

  /** When the socket last took something, or had nothing to take. */
  get progressAt(): number {
    return this.isEmpty ? performance.now() : this.#progressAt;
  }

  send(frame: Uint8Array): void {
    if (this.isEmpty) this.#progressAt = performance.now();
    this.#unsent.send(frame);
  }

  /** As much as the socket takes. */
  drain(): void {
    if (this.#unsent.drain() && this.#ending !== null) this.end();
  }

  /** After what was sent. */
  end(): void {
    if (this.isEmpty) {
      this.#clearTimer();
      this.#socket.end();
    } else this.#ending ??= setTimeout(() => this.cut(), LAST_MS).unref();
  }

  closed(): void {
    this.#clearTimer();
    this.#unsent.take();
  }

  /** At once, with whatever is unsent. */
  cut(): void {
    this.closed();
    this.#socket.terminate();
  }

  #write(bytes: Uint8Array): number {
    const written = this.#socket.write(bytes);
    if (written > 0) this.#progressAt = performance.now();
    return written;
  }

  #clearTimer(): void {
    if (this.#ending !== null) clearTimeout(this.#ending);
    this.#ending = null;
  }
}
