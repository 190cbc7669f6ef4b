/**
 * The typed client of the daemon. Types come from the table, schemas do not: what a call may be is checked once, by the daemon.
 *
 * A lost connection fails the calls that are under way with EIO; it is never dialled again in secret, as a call may have been carried out.
 */
import { textOf } from "../protocol/bytes.ts";
import { HoltError } from "../protocol/errors.ts";
import type { Method, Params, Result } from "../protocol/table.schema.ts";
import { parseAnswer, requestLine } from "../protocol/wire.ts";
import { daemonSocketPath, type Layout } from "../transcript/layout.ts";

interface Pending {
  resolve(result: unknown): void;
  reject(error: HoltError): void;
}

export class DaemonClient implements Disposable {
  readonly #pending = new Map<number, Pending>();
  readonly #gone = Promise.withResolvers<void>();
  #socket: Bun.Socket | null = null;
  #lastId = 0;
  #unsent = "";
  #unread: string[] = [];
  readonly #decoder = new TextDecoder();

  /** Null when no daemon listens there. */
  static async dial(layout: Layout): Promise<DaemonClient | null> {
    const client = new DaemonClient();
    try {
      client.#socket = await Bun.connect({
        unix: daemonSocketPath(layout),
        socket: {
          data: (_socket, bytes) => client.#receive(bytes),
          drain: () => client.#flush(),
          close: () => client.#closed(),
          error: () => client.#closed(),
        },
      });
      return client;
    } catch {
      return null;
    }
  }

  get isGone(): boolean {
    return this.#socket === null;
  }

  /** Resolves when the daemon has hung up. */
  get gone(): Promise<void> {
    return this.#gone.promise;
  }

  call<M extends Method>(method: M, params: Params<M>): Promise<Result<M>> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    if (this.#socket === null) reject(lost());
    else {
      const id = ++this.#lastId;
      this.#pending.set(id, { resolve, reject });
      this.#unsent += requestLine(id, method, params);
      this.#flush();
    }
    return promise as Promise<Result<M>>;
  }

  [Symbol.dispose](): void {
    this.#socket?.terminate();
    this.#closed();
  }

  #flush(): void {
    if (this.#unsent === "" || this.#socket === null) return;
    const bytes = new TextEncoder().encode(this.#unsent);
    const written = Math.max(0, this.#socket.write(bytes));
    this.#unsent = written === bytes.length ? "" : textOf(bytes.subarray(written));
  }

  #receive(bytes: Uint8Array): void {
    const [first = "", ...more] = this.#decoder.decode(bytes, { stream: true }).split("\n");
    this.#unread.push(first);
    for (const part of more) {
      this.#take(this.#unread.join(""));
      this.#unread = [part];
    }
  }

  #take(line: string): void {
    try {
      const { id, outcome } = parseAnswer(line);
      const pending = this.#pending.get(Number(id));
      this.#pending.delete(Number(id));
      if ("error" in outcome) pending?.reject(outcome.error);
      else pending?.resolve(outcome.result);
    } catch {
      this[Symbol.dispose](); // not the protocol
    }
  }

  #closed(): void {
    this.#socket = null;
    for (const pending of this.#pending.values()) pending.reject(lost());
    this.#pending.clear();
    this.#gone.resolve();
  }
}

function lost(): HoltError {
  return new HoltError("EIO", "the daemon hung up", { hint: "sessions live on; try again, and another one answers" });
}
