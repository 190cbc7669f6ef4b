/**
 * Runs and cancels the calls of one connection, and turns their results into answers. A call with a
 * synchronous result never counts as running.
 */
import { HoltError, JSONRPC_ERRORS } from "../../protocol/types/errors.ts";
import { type RpcRequest, errorOf, type Id, resultOf } from "./messages.ts";

const MAX_CALLS = 64;
const CANCEL = "$/cancelRequest";

/** Limits the estimated size of all answers that running calls will send (`answerBytes`). */
const MAX_PENDING_ANSWER_BYTES = 8 * 1024 * 1024;

/** Sends notifications to the client of a connection. */
export interface NotificationSink {
  /** Fires when the connection is closed. */
  readonly closeSignal: AbortSignal;
  /** Resolves when there is room for more notifications. */
  notify(method: string, params: object): Promise<void>;
}

/** The origin of a call: its cancellation, its correlation id and its connection. */
export interface CallOrigin {
  /** Fires when the caller cancels the call. */
  readonly signal: AbortSignal;
  /** The caller's own correlation id; null: none. */
  readonly correlationId: string | null;
  readonly notifications: NotificationSink;
}

/** The origin of a call outside a JSON-RPC connection: it gets an answer, but no notifications. */
export function singleCallOrigin(signal: AbortSignal, correlationId: string | null): CallOrigin {
  return { signal, correlationId, notifications: { closeSignal: signal, async notify() {} } };
}

export interface Methods {
  knows(method: string): boolean;
  /** Logs a request that fails before it is a call. Returns the correlation id for the answer. */
  logRefused(error: Pick<HoltError, "code" | "message">): string;
  /** The result, or a promise of it; a synchronous result is answered in the same turn. */
  call(method: string, params: unknown, from: CallOrigin): unknown;
  /**
   * The estimated size of the answer, for calls that wait for nothing but the disk; 0 for all
   * others, and for small answers.
   */
  answerBytes?(method: string, params: unknown): number;
}

/** Receives the answer; null when there is nothing to send. */
export type AnswerCallback = (answer: object | null) => void;

/**
 * True for a request to cancel another call. The connection (rpc-connection.ts) never queues it: it
 * removes the other call from its queue by `idToCancel`, then passes the request to `begin`, which
 * cancels the call if it is running.
 */
export function isCancel(request: RpcRequest): boolean {
  return request.kind !== "invalid" && request.method === CANCEL;
}

/** The id of the call to be canceled. */
export function idToCancel(request: RpcRequest): unknown {
  return request.kind === "invalid" ? undefined : (request.params as { id?: unknown } | null | undefined)?.id;
}

/**
 * A call without an answer yet. Its AbortSignal is made on first use, because making one takes
 * longer than a small call.
 */
class PendingCall implements CallOrigin {
  readonly id: Id;
  readonly correlationId: string | null;
  readonly notifications: NotificationSink;
  #controller: AbortController | null = null;

  constructor(id: Id, correlationId: string | null, notifications: NotificationSink) {
    this.id = id;
    this.correlationId = correlationId;
    this.notifications = notifications;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  abort(): void {
    this.#controller ??= new AbortController();
    this.#controller.abort();
  }
}

export class Calls {
  readonly #methods: Methods;
  readonly #notifications: NotificationSink;
  readonly #running = new Set<PendingCall>();
  #pendingAnswerBytes = 0;

  constructor(methods: Methods, notifications: NotificationSink) {
    this.#methods = methods;
    this.#notifications = notifications;
  }

  /** True when the limit of running calls, or of their estimated answers, is reached. */
  mustWait(request: RpcRequest): boolean {
    if (this.#running.size >= MAX_CALLS) return true;
    // The first large answer is never held back, or one above the limit would wait forever.
    if (this.#pendingAnswerBytes === 0 || request.kind === "invalid") return false;
    const more = this.#answerBytes(request.method, request.params);
    return more > 0 && this.#pendingAnswerBytes + more > MAX_PENDING_ANSWER_BYTES;
  }

  /** Begins a call; true when it was answered synchronously. */
  begin(request: RpcRequest, onAnswer: AnswerCallback): boolean {
    const before = this.#running.size;
    if (request.kind === "invalid") onAnswer(request.answer);
    else if (request.kind === "call") this.#run(request, request.id, onAnswer);
    else this.#run(request, null, () => onAnswer(null));
    return this.#running.size === before;
  }

  /** Cancels all running calls. */
  abortAll(): void {
    for (const call of this.#running) call.abort();
  }

  #run(
    { method, params, correlationId }: Exclude<RpcRequest, { kind: "invalid" }>,
    id: Id,
    onAnswer: AnswerCallback,
  ): void {
    if (method === CANCEL) {
      // Only running calls: the connection has already removed a queued one (`isCancel`).
      this.#cancel((params as { id?: unknown } | null | undefined)?.id);
      return onAnswer(resultOf(id, null));
    }
    const call = new PendingCall(id, correlationId, this.#notifications);
    let result: unknown;
    try {
      result = this.#methods.call(method, params, call);
    } catch (error) {
      return onAnswer(this.#errorAnswer(id, method, error));
    }
    if (!(result instanceof Promise)) return onAnswer(resultOf(id, result));
    const bytes = this.#answerBytes(method, params);
    this.#pendingAnswerBytes += bytes;
    void this.#await(call, method, result, (answer) => {
      this.#pendingAnswerBytes -= bytes;
      onAnswer(answer);
    });
  }

  #answerBytes(method: string, params: unknown): number {
    return this.#methods.answerBytes?.(method, params) ?? 0;
  }

  async #await(call: PendingCall, method: string, result: Promise<unknown>, onAnswer: AnswerCallback): Promise<void> {
    this.#running.add(call);
    let answer: object;
    try {
      answer = resultOf(call.id, await result);
    } catch (error) {
      answer = this.#errorAnswer(call.id, method, error);
    }
    this.#running.delete(call);
    onAnswer(answer);
  }

  #errorAnswer(id: Id, method: string, error: unknown): object {
    const known = error instanceof HoltError ? error : new HoltError("EINTERNAL", String(error));
    return this.#methods.knows(method) ? errorOf(id, known) : errorOf(id, known, JSONRPC_ERRORS.method);
  }

  #cancel(id: unknown): void {
    for (const call of this.#running) if (call.id !== null && call.id === id) call.abort();
  }
}
