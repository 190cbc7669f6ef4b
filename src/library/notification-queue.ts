/** What a subscription brings, as a stream of bounded length: past a few hundred that nobody has taken, the connection is not read. */
import type { DaemonNotification } from "../protocol/wire/json-rpc.ts";
import type { Connection } from "./connection.ts";

const MOST = 256;

export class NotificationQueue {
  readonly #connection: Connection;
  readonly #waiting: DaemonNotification[] = [];
  #wake: () => void = () => {};
  #isOver = false;
  readonly #signal: AbortSignal | null;
  readonly #abort = (): void => this.#connection.close();

  constructor(connection: Connection, signal: AbortSignal | null) {
    this.#connection = connection;
    connection.hold();
    connection.noticed = (notice) => this.#take(notice);
    this.#signal = signal;
    signal?.addEventListener("abort", this.#abort, { once: true });
    if (signal?.aborted) connection.close();
  }

  /** A signal may outlive a thousand streams: nothing of them stays with it. */
  end(): void {
    this.#signal?.removeEventListener("abort", this.#abort);
    this.#connection.close();
  }

  /** Null when the connection is gone. */
  async next(): Promise<DaemonNotification | null> {
    while (this.#waiting.length === 0 && !this.#isOver)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    const notice = this.#waiting.shift() ?? null;
    if (this.#waiting.length === MOST / 2) this.#connection.flow(true);
    return notice;
  }

  #take(notice: DaemonNotification | null): void {
    if (notice === null) this.#isOver = true;
    else if (this.#waiting.push(notice) >= MOST) this.#connection.flow(false);
    this.#wake();
  }
}
