/**
 * Calls under way on one connection to the daemon. The owner has the socket, writes the lines and passes on what it reads; nothing here needs Bun.
 * A lost connection fails these calls with EIO. None is sent again: it may have been carried out.
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
  /** Hangs up: the other side does not speak the protocol. */
  close(): void;
  noticed(notice: DaemonNotification): void;
}

export interface DaemonCallOptions {
  /** Cancels the call, also inside the daemon. */
  signal?: AbortSignal | null;
  /** By which the daemon knows the call, in its answer, log and audit; without it, one of its own. */
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

  /** How many are under way. */
  get count(): number {
    return this.#pending.size;
  }

  /** Gives up with ETIMEOUT after `answerMs`; the call may have been carried out, or be so yet. */
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
    // The daemon answers a canceled call too, with ECANCELED.
    const cancel = (): void => this.#socket.write(notificationLine("$/cancelRequest", { id }));
    try {
      return await new Promise((resolve, reject) => {
        this.#pending.set(id, { resolve, reject });
        if (answerMs !== null) timer = setTimeout(() => reject(silent(answerMs)), Math.min(answerMs, MAX_TIMER_MS));
        signal?.addEventListener("abort", cancel, { once: true });
        this.#socket.write(line);
      });
    } finally {
      this.#pending.delete(id);
      if (timer !== null) clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
    }
  }

  /** Takes text as it comes, in lines or in parts of lines. */
  receive(text: string): void {
    const [first = "", ...more] = text.split("\n");
    this.#unread.push(first);
    for (const part of more) {
      const line = this.#unread.join("");
      this.#unread = [part];
      this.#take(line);
    }
  }

  /** Fails every call, and those to come. */
  closed(): void {
    this.#isClosed = true;
    this.#failAll(lost());
  }

  #take(line: string): void {
    try {
      const message = parseMessage(line);
      if ("method" in message) return this.#socket.noticed(message);
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
    hint: "sessions live on; the call may have been carried out, so look before you repeat it",
  });
}

function silent(ms: number): HoltError {
  return new HoltError("ETIMEOUT", `the daemon did not answer within ${Math.round(ms)} ms`, {
    hint: "`holt daemon restart` starts another; sessions do not notice",
  });
}
