/**
 * Pending calls on one connection to the daemon. The owner of the socket passes text in and out;
 * this file needs no Bun. A lost connection fails its calls with EIO; they are not retried, as the
 * daemon may have carried them out.
 */
import { MAX_TIMER_MS } from "../types/duration.ts";
import { HoltError } from "../types/errors.ts";
import {
  DAEMON_LOST,
  type DaemonNotification,
  notificationLine,
  parseMessage,
  unmatchedRefusal,
  requestLine,
} from "./json-rpc.ts";

interface Pending {
  resolve(result: unknown): void;
  reject(error: HoltError): void;
}

export interface DaemonSocket {
  write(line: string): void;
  /** Closes the connection: the daemon does not speak the protocol. */
  close(): void;
  onNotification(notice: DaemonNotification): void;
}

export interface DaemonCallOptions {
  /** Cancels the call, also inside the daemon. */
  signal?: AbortSignal | null;
  /** Id of the call in its answer, log and audit record; the daemon makes one otherwise. */
  correlationId?: string | undefined;
}

export class DaemonCalls {
  readonly #socket: DaemonSocket;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;
  #unread: string[] = [];
  #isClosed = false;

  constructor(socket: DaemonSocket) {
    this.#socket = socket;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Number of pending calls. */
  get count(): number {
    return this.#pending.size;
  }

  /** Fails with ETIMEOUT after `answerMs`; the daemon may still carry out the call. */
  async call(
    method: string,
    params: object,
    answerMs: number | null,
    { signal = null, correlationId }: DaemonCallOptions,
  ): Promise<unknown> {
    if (this.#isClosed) throw lost();
    if (signal?.aborted) throw new HoltError("ECANCELED", `${method} was canceled`);
    const id = ++this.#lastId;
    const line = requestLine(id, method, params, correlationId);
    let timer: ReturnType<typeof setTimeout> | null = null;
    // The daemon answers a canceled call as well, with ECANCELED.
    const cancel = (): void => this.#socket.write(notificationLine("$/cancelRequest", { id }));
    try {
      return await new Promise((resolve, reject) => {
        this.#pending.set(id, { resolve, reject });
        if (answerMs !== null) timer = setTimeout(() => reject(unanswered(answerMs)), Math.min(answerMs, MAX_TIMER_MS));
        signal?.addEventListener("abort", cancel, { once: true });
        this.#socket.write(line);
      });
    } finally {
      this.#pending.delete(id);
      if (timer !== null) clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
    }
  }

  /** Takes text in any chunks, whole lines or parts of lines. */
  receive(text: string): void {
    const [first = "", ...more] = text.split("\n");
    this.#unread.push(first);
    for (const part of more) {
      const line = this.#unread.join("");
      this.#unread = [part];
      this.#take(line);
    }
  }

  /** Fails all pending and all later calls. */
  closed(): void {
    this.#isClosed = true;
    this.#failAll(lost());
  }

  #take(line: string): void {
    try {
      const message = parseMessage(line);
      if ("method" in message) return this.#socket.onNotification(message);
      const { id, outcome } = message;
      const pending = this.#pending.get(Number(id));
      this.#pending.delete(Number(id));
      if ("result" in outcome) pending?.resolve(outcome.result);
      else if (id === null) this.#failAll(unmatchedRefusal(outcome.error, this.#pending.size));
      else pending?.reject(outcome.error);
    } catch {
      this.#socket.close();
    }
  }

  #failAll(error: HoltError): void {
    for (const pending of this.#pending.values()) pending.reject(error);
    this.#pending.clear();
  }
}

function lost(): HoltError {
  return new HoltError("EIO", DAEMON_LOST, {
    hint: "sessions keep running; check the state before you repeat the call: it may have been carried out",
  });
}

function unanswered(ms: number): HoltError {
  return new HoltError("ETIMEOUT", `the daemon did not answer within ${Math.round(ms)} ms`, {
    hint: "`holt daemon restart` starts a new daemon; sessions keep running",
  });
}
