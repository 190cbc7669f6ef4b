/**
 * The typed client of the daemon. Types come from the table, schemas do not: what a call may be is checked once, by the daemon.
 *
 * No call waits for ever: a daemon may have been stopped, and takes what is written all the same. A lost connection is never dialled again in secret.
 */
import { adoptSocket } from "../../platform/native/adopt-socket.ts";
import { WriteQueue } from "../../platform/sockets/write-queue.ts";
import { bytesOf } from "../../protocol/types/bytes.ts";
import { type DaemonCallOptions, DaemonCalls } from "../../protocol/wire/daemon-calls.ts";
import type { Method, Params, Result } from "../../protocol/methods/table.schema.ts";
import { isUnsafePathError } from "../../protocol/wire/unsafe-path.ts";
import type { Layout } from "../../transcript/layout.ts";
import { dialDaemonSocket } from "./daemon-socket.ts";

const ALIVE_MS = 5000;
/** Longer than the daemon itself lets any call take, but for the grace of those that it stops (protocol/rows). */
const ANSWER_MS = 75_000;

export interface CallOptions extends DaemonCallOptions {
  /** How long to wait for the answer. */
  answerMs?: number;
}

export class DaemonClient implements Disposable {
  readonly #hangup = Promise.withResolvers<void>();
  readonly #unsent = new WriteQueue((bytes) => this.#socket?.write(bytes) ?? -1);
  readonly #decoder = new TextDecoder();
  readonly #calls = new DaemonCalls({
    write: (line) => void this.#unsent.send(bytesOf(line)),
    close: () => this[Symbol.dispose](),
    noticed() {},
  });
  #socket: Bun.Socket | null = null;
  #closesWhenIdle = false;

  /** Null when no daemon listens there; EDENIED where another user's process may. */
  static async dial(layout: Layout): Promise<DaemonClient | null> {
    const client = new DaemonClient();
    try {
      const fd = dialDaemonSocket(layout);
      if (fd === null) return null;
      const handlers: Bun.SocketHandler<undefined> = {
        data: (_socket, bytes) => client.#calls.receive(client.#decoder.decode(bytes, { stream: true })),
        drain: () => void client.#unsent.drain(),
        close: () => client.#onClosed(),
        error: () => client.#onClosed(),
      };
      client.#socket = await adoptSocket(fd, handlers, { halfOpen: false });
      return client;
    } catch (error) {
      if (isUnsafePathError(error)) throw error;
      return null;
    }
  }

  get isClosed(): boolean {
    return this.#calls.isClosed;
  }

  /** Whether it answers: one that was killed this moment may not be known to be gone. To cancel nothing is the least to ask for. */
  isAlive(): Promise<boolean> {
    return this.call("$/cancelRequest" as Method, {}, { answerMs: ALIVE_MS }).then(
      () => true,
      () => false,
    );
  }

  /** Hangs up once every call that is under way was answered: a daemon that says nothing may be busy with them. */
  closeWhenIdle(): void {
    this.#closesWhenIdle = true;
    if (this.#calls.count === 0) this[Symbol.dispose]();
  }

  /** Resolves when the daemon has hung up, or after `ms`. */
  async waitForClose(ms: number): Promise<void> {
    const timer = setTimeout(() => this.#hangup.resolve(), ms);
    await this.#hangup.promise;
    clearTimeout(timer);
  }

  /** Fails with ETIMEOUT where no answer came; it may have been carried out, or be so yet. */
  async call<M extends Method>(
    method: M,
    params: Params<M>,
    { answerMs = ANSWER_MS + graceIn(params), ...options }: CallOptions = {},
  ): Promise<Result<M>> {
    try {
      return (await this.#calls.call(method, params, answerMs, options)) as Result<M>;
    } finally {
      if (this.#closesWhenIdle) this.closeWhenIdle();
    }
  }

  [Symbol.dispose](): void {
    this.#socket?.terminate();
    this.#onClosed();
  }

  #onClosed(): void {
    this.#socket = null;
    this.#calls.closed();
    this.#hangup.resolve();
  }
}

function graceIn(params: object): number {
  const grace = (params as { grace_ms?: unknown }).grace_ms;
  return typeof grace === "number" ? grace : 0;
}
