/**
 * The typed client of the daemon. Only the daemon validates parameters; the client has the types
 * alone.
 *
 * Each call has a deadline, because a stopped daemon still accepts bytes into its socket's buffer.
 * A lost connection is never reopened implicitly.
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
/** Longer than any call may take in the daemon, except the grace period of a stop (graceIn). */
const ANSWER_MS = 75_000;

export interface CallOptions extends DaemonCallOptions {
  /** Time limit for the answer. */
  answerMs?: number;
}

export class DaemonClient implements Disposable {
  readonly #hangup = Promise.withResolvers<void>();
  readonly #unsent = new WriteQueue((bytes) => this.#socket?.write(bytes) ?? -1);
  readonly #decoder = new TextDecoder();
  readonly #calls = new DaemonCalls({
    write: (line) => void this.#unsent.send(bytesOf(line)),
    close: () => this[Symbol.dispose](),
    onNotification() {},
  });
  #socket: Bun.Socket | null = null;
  #closesWhenIdle = false;

  /** Null if no daemon listens; EDENIED if the socket may belong to another user. */
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

  /** Sends a call without effect: a daemon killed just now may not have closed its socket yet. */
  isAlive(): Promise<boolean> {
    return this.call("$/cancelRequest" as Method, {}, { answerMs: ALIVE_MS }).then(
      () => true,
      () => false,
    );
  }

  /** Closes the connection after the last pending call: a silent daemon may be busy with one. */
  closeWhenIdle(): void {
    this.#closesWhenIdle = true;
    if (this.#calls.count === 0) this[Symbol.dispose]();
  }

  /** Resolves when the daemon closes the connection, or after `ms`. */
  async waitForClose(ms: number): Promise<void> {
    const timer = setTimeout(() => this.#hangup.resolve(), ms);
    await this.#hangup.promise;
    clearTimeout(timer);
  }

  /** ETIMEOUT if no answer came: the call may have been carried out, or may be later. */
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
