/**
 * Queue of a subscription's notifications, bounded: over MAX_QUEUED unread ones, the connection is
 * not read.
 */
import type { DaemonNotification } from "../protocol/wire/json-rpc.ts";
import type { Connection } from "./connection.ts";

const MAX_QUEUED = 256;

export class NotificationQueue {
  readonly #connection: Connection;
  readonly #queued: DaemonNotification[] = [];
  #wake: () => void = () => {};
  #isClosed = false;
  readonly #signal: AbortSignal | null;
  readonly #abort = (): void => this.#connection.close();

  constructor(connection: Connection, signal: AbortSignal | null) {
    this.#connection = connection;
    connection.hold();
    connection.onNotification = (notification) => this.#push(notification);
    this.#signal = signal;
    signal?.addEventListener("abort", this.#abort, { once: true });
    if (signal?.aborted) connection.close();
  }

  /** Removes the listener: one signal may outlive many streams. */
  end(): void {
    this.#signal?.removeEventListener("abort", this.#abort);
    this.#connection.close();
  }

  /** The next notification; null when the connection is closed. */
  async next(): Promise<DaemonNotification | null> {
    while (this.#queued.length === 0 && !this.#isClosed)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    const notification = this.#queued.shift() ?? null;
    if (this.#queued.length === MAX_QUEUED / 2) this.#connection.flow(true);
    return notification;
  }

  #push(notification: DaemonNotification | null): void {
    if (notification === null) this.#isClosed = true;
    else if (this.#queued.push(notification) >= MAX_QUEUED) this.#connection.flow(false);
    this.#wake();
  }
}
