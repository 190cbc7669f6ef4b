/** Buffers frames for one connection that its socket has not taken yet. */
import type { Socket } from "bun";
import { WriteQueue } from "../../platform/sockets/write-queue.ts";

/** A client further behind than this reads from disk instead of from our memory. */
const MAX_UNSENT = 1024 * 1024;
/** Limit for sending the rest of a connection that ends. */
const LAST_MS = 10_000;

export class SendBuffer {
  readonly #socket: Socket<unknown>;
  readonly #unsent = new WriteQueue((bytes) => this.#write(bytes));
  #progressAt = performance.now();
  /** Set when nothing follows the unsent frames. */
  #ending: ReturnType<typeof setTimeout> | null = null;

  constructor(socket: Socket<unknown>) {
    this.#socket = socket;
  }

  /** The client does not read what it is sent. */
  get isFull(): boolean {
    return this.#unsent.length >= MAX_UNSENT;
  }

  get isEmpty(): boolean {
    return this.#unsent.length === 0;
  }

  /** When the socket last took data, or now if nothing is pending. */
  get progressAt(): number {
    return this.isEmpty ? performance.now() : this.#progressAt;
  }

  send(frame: Uint8Array): void {
    if (this.isEmpty) this.#progressAt = performance.now();
    this.#unsent.send(frame);
  }

  /** Writes as much as the socket takes. */
  drain(): void {
    if (this.#unsent.drain() && this.#ending !== null) this.end();
  }

  /** Ends the connection after the unsent frames. */
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

  /** Ends the connection at once and drops the unsent frames. */
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
