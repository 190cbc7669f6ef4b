/**
 * The typed client of the daemon. Types come from the table, schemas do not: what a call may be is checked once, by the daemon.
 *
 * No call waits for ever: a daemon may have been stopped, and takes what is written all the same.
 *
 * A lost connection fails the calls that are under way with EIO; it is never dialled again in secret, as a call may have been carried out.
 */
import { adoptSocket } from "../platform/adopt-socket.ts";
import { Unsent } from "../platform/unsent.ts";
import { bytesOf } from "../protocol/bytes.ts";
import { HoltError } from "../protocol/errors.ts";
import type { Method, Params, Result } from "../protocol/table.schema.ts";
import { DAEMON_LOST, notificationLine, parseAnswer, refusedUnknown, requestLine } from "../protocol/wire.ts";
import { isUnsafePlace } from "../protocol/unsafe-place.ts";
import type { Layout } from "../transcript/layout.ts";
import { dialDaemonSocket } from "./daemon-socket.ts";

interface Pending {
  resolve(result: unknown): void;
  reject(error: HoltError): void;
  /** When it is given up. */
  until: number;
  answerMs: number;
}

const ALIVE_MS = 5000;
/** More is not gathered. */
const GATHERED_LENGTH = 64 * 1024;

export interface CallOptions {
  /** How long to wait for the answer. */
  answerMs?: number;
  /** Cancels the call. */
  signal?: AbortSignal | null;
  /** By which the daemon knows the call, in its answer, log and audit; without it, one of its own. */
  correlationId?: string;
}

/** Longer than the daemon itself lets any call take, but for the grace of those that it stops (protocol/rows). */
const ANSWER_MS = 75_000;

export class DaemonClient implements Disposable {
  readonly #pending = new Map<number, Pending>();
  readonly #gone = Promise.withResolvers<void>();
  #socket: Bun.Socket | null = null;
  #lastId = 0;
  #isRetired = false;
  /** When it is looked at next whether one is to be given up. */
  #look: { timer: ReturnType<typeof setTimeout>; at: number } | null = null;
  /** Lines of this turn: calls that are made together are written together. */
  #gathered = "";
  readonly #unsent = new Unsent((bytes) => this.#socket?.write(bytes) ?? -1);
  #unread: string[] = [];
  readonly #decoder = new TextDecoder();

  /** Null when no daemon listens there; EDENIED where another user's process may. */
  static async dial(layout: Layout): Promise<DaemonClient | null> {
    const client = new DaemonClient();
    try {
      const fd = dialDaemonSocket(layout);
      if (fd === null) return null;
      const handlers: Bun.SocketHandler<undefined> = {
        data: (_socket, bytes) => client.#receive(bytes),
        drain: () => void client.#unsent.drain(),
        close: () => client.#closed(),
        error: () => client.#closed(),
      };
      client.#socket = await adoptSocket(fd, handlers, { halfOpen: false });
      return client;
    } catch (error) {
      if (isUnsafePlace(error)) throw error;
      return null;
    }
  }

  get isGone(): boolean {
    return this.#socket === null;
  }

  /** Whether it answers: one that was killed this moment may not be known to be gone. Canceling nothing is the least that can be asked. */
  async isThere(): Promise<boolean> {
    const answered = this.call("$/cancelRequest" as Method, {}, { answerMs: ALIVE_MS });
    return answered.then(
      () => true,
      () => false,
    );
  }

  /** Hangs up once every call that is under way was answered: a daemon that says nothing may be busy with them. */
  retire(): void {
    this.#isRetired = true;
    if (this.#pending.size === 0) this[Symbol.dispose]();
  }

  /** Resolves when the daemon has hung up, or after `ms`. */
  async gone(ms: number): Promise<void> {
    const timer = setTimeout(() => this.#gone.resolve(), ms);
    await this.#gone.promise;
    clearTimeout(timer);
  }

  /** Fails with ETIMEOUT where no answer came; it may have been carried out, or be so yet. */
  async call<M extends Method>(
    method: M,
    params: Params<M>,
    { answerMs = ANSWER_MS + graceIn(params), signal = null, correlationId }: CallOptions = {},
  ): Promise<Result<M>> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    if (this.#socket === null) reject(lost());
    else {
      const id = ++this.#lastId;
      const line = requestLine(id, method, params, correlationId);
      this.#pending.set(id, { resolve, reject, until: performance.now() + answerMs, answerMs });
      this.#send(line);
      this.#lookIn(answerMs);
      if (signal !== null) this.#cancelWith(signal, id, promise);
    }
    return (await promise) as Result<M>;
  }

  /** The daemon answers a canceled call too, with ECANCELED. */
  #cancelWith(signal: AbortSignal, id: number, answered: Promise<unknown>): void {
    const cancel = (): void => this.#send(notificationLine("$/cancelRequest", { id }));
    if (signal.aborted) cancel();
    else signal.addEventListener("abort", cancel, { once: true });
    const over = (): void => signal.removeEventListener("abort", cancel);
    answered.then(over, over);
  }

  /** One timer for all calls, which outlives them: to set one and to clear it costs a call more than its line does. The socket keeps the process, not the timer. */
  #lookIn(ms: number): void {
    const at = performance.now() + ms;
    if (this.#look !== null && this.#look.at <= at) return;
    clearTimeout(this.#look?.timer);
    const timer = setTimeout(() => this.#giveUpLate(), Math.max(0, ms));
    timer.unref();
    this.#look = { timer, at };
  }

  #giveUpLate(): void {
    this.#look = null;
    const now = performance.now();
    for (const [id, { until, answerMs }] of this.#pending)
      if (until <= now) this.#taken(id)?.reject(silent(answerMs));
      else this.#lookIn(until - now);
  }

  #send(line: string): void {
    if (this.#gathered === "") queueMicrotask(() => this.#write());
    this.#gathered += line;
    if (this.#gathered.length > GATHERED_LENGTH) this.#write();
  }

  #write(): void {
    const lines = this.#gathered;
    this.#gathered = "";
    if (lines !== "") this.#unsent.send(bytesOf(lines));
  }

  [Symbol.dispose](): void {
    this.#write(); // who calls and hangs up at once has called
    this.#socket?.terminate();
    this.#closed();
  }

  #receive(bytes: Uint8Array): void {
    const text = this.#decoder.decode(bytes, { stream: true });
    const end = text.indexOf("\n");
    if (this.#unread.length === 0 && end >= 0 && end === text.length - 1) return this.#take(text);
    const [first = "", ...more] = text.split("\n");
    this.#unread.push(first);
    for (const part of more) {
      this.#take(this.#unread.join(""));
      this.#unread = part === "" ? [] : [part];
    }
  }

  #take(line: string): void {
    try {
      const { id, outcome } = parseAnswer(line);
      if (id === null && "error" in outcome) return this.#failAll(refusedUnknown(outcome.error, this.#pending.size));
      const pending = this.#taken(Number(id));
      if ("error" in outcome) pending?.reject(outcome.error);
      else pending?.resolve(outcome.result);
    } catch {
      this[Symbol.dispose](); // not the protocol
    }
  }

  /** Undefined when it was answered, or given up. */
  #taken(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (this.#isRetired && this.#pending.size === 0 && this.#socket !== null) queueMicrotask(() => this.retire());
    return pending;
  }

  #closed(): void {
    this.#socket = null;
    clearTimeout(this.#look?.timer);
    this.#look = null;
    this.#failAll(lost());
    this.#gone.resolve();
  }

  #failAll(error: HoltError): void {
    for (const id of this.#pending.keys()) this.#taken(id)?.reject(error);
  }
}

function lost(): HoltError {
  return new HoltError("EIO", DAEMON_LOST, { hint: "sessions live on; try again, and another one answers" });
}

function silent(ms: number): HoltError {
  return new HoltError("ETIMEOUT", `the daemon did not answer within ${Math.round(ms)} ms`, {
    hint: "`holt daemon restart` starts another; sessions do not notice",
  });
}

function graceIn(params: object): number {
  const grace = (params as { grace_ms?: unknown }).grace_ms;
  return typeof grace === "number" ? grace : 0;
}
